//! Flags for pictures: which part of the world they show, at what size, and how agents look.

use clap::Args;

use crate::{
    Setup,
    cli::{Failure, Outcome},
    raster::{ColorBy, Exposure, Overlay, Palette, Style, species_colors},
};

use super::{
    names,
    values::{self, ViewArg},
};

/// Size and contents of a picture.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Picture")]
pub(crate) struct PictureArgs {
    /// Width and height of a picture, in pixels [default: 1280x720]
    #[arg(long, value_name = "WxH", value_parser = values::size, allow_hyphen_values = true)]
    pub(crate) size: Option<[u32; 2]>,
    /// Center and width of the part of the world that a picture shows, in world units [default: the
    /// whole world]
    #[arg(long, value_name = "X,Y,WIDTH", value_parser = values::view, allow_hyphen_values = true)]
    pub(crate) view: Option<ViewArg>,
    /// Let bright places glow
    #[arg(long)]
    pub(crate) glow: bool,
    #[command(flatten)]
    pub(crate) style: StyleArgs,
}

impl PictureArgs {
    /// Width and height of a picture, in pixels.
    pub(crate) fn size(&self) -> [u32; 2] {
        self.size.unwrap_or([1280, 720])
    }

    /// The picture of these flags, and where they say nothing, what another one shows, with its
    /// colors of species.
    pub(crate) fn or(self, other: &Self) -> Self {
        let style = StyleArgs {
            color_by: self.style.color_by.or(other.style.color_by),
            palette: self.style.palette.or(other.style.palette),
            species: other.style.species.clone(),
            ..self.style
        };
        Self { view: self.view.or(other.view), style, ..self }
    }
}

/// How agents look, in the window and in files.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Style")]
pub(crate) struct StyleArgs {
    /// What colors show: speed, size, start (the starting position, which shows mixing), flow (the
    /// direction of the crowd's motion), temperature, density, order (of crystals), cell (of the
    /// grid), contacts (the number of overlaps), spin (with friction), faction (the side in
    /// `melee`), species (of a world file) [default: speed; species in world files, faction in
    /// melee, start in shear, density in shock, density in cooling, order in crystal]
    #[arg(long, alias = "color", value_name = "WHAT", value_parser = names::color_by, allow_hyphen_values = true)]
    pub(crate) color_by: Option<ColorBy>,
    /// Palette: inferno, magma, plasma, viridis, cividis [default: plasma; in the window, the last
    /// one used]
    #[arg(long, value_name = "NAME", value_parser = names::palette, allow_hyphen_values = true)]
    pub(crate) palette: Option<Palette>,
    /// Brightness of a crowd of discs that are too small to be seen: auto, or powers of two of
    /// their true area, where 0 is the true area
    #[arg(long, value_name = "STOPS", value_parser = values::exposure, default_value = "auto", allow_hyphen_values = true)]
    pub(crate) exposure: Exposure,
    /// Overlay on the agents: none, loose (cells), tight (cells), contacts, velocities, density
    /// [default: none; in the window, the last one used]
    #[arg(long, value_name = "NAME", value_parser = names::overlay, allow_hyphen_values = true)]
    pub(crate) overlay: Option<Overlay>,
    /// The colors of species, as a world file states them.
    #[arg(skip)]
    pub(crate) species: Vec<Option<[u8; 3]>>,
}

impl StyleArgs {
    /// The style for a run of that set-up.
    ///
    /// # Errors
    /// A usage error for colors of factions in a scene without any, of spins without friction, and
    /// of twins.
    pub(crate) fn style(&self, setup: &Setup) -> Outcome<Style> {
        let Self { color_by, palette, exposure, overlay, ref species } = *self;
        check_color(color_by, setup)?;
        let style = Style::from_setup(setup);
        let (palette, overlay) = (palette.unwrap_or_default(), overlay.unwrap_or_default());
        let color_by = color_by.unwrap_or(style.color_by);
        let species = species_colors(species);
        Ok(Style { color_by, palette, overlay, exposure, species, ..style })
    }
}

/// Whether agents of that set-up can have these colors.
///
/// # Errors
/// A usage error for colors of factions in a scene without any, and of spins without friction.
pub(crate) fn check_color(color_by: Option<ColorBy>, setup: &Setup) -> Outcome<()> {
    if color_by == Some(ColorBy::Faction) && !setup.scene.has_factions() {
        return Err(Failure::usage(format!(
            "--color-by faction needs factions, and {} has none; try --scene melee",
            setup.scene
        )));
    }
    if color_by == Some(ColorBy::Twin) {
        return Err(Failure::usage(
            "--color-by twin needs a run and its twin: the window has these colors while it is split, \
             by B; try --color-by start",
        ));
    }
    if color_by == Some(ColorBy::Spin) && setup.friction == 0.0 {
        return Err(Failure::usage(
            "--color-by spin needs agents that spin, and without friction none does; try \
             --friction 0.5",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scene;

    #[test]
    fn help_names_the_colors_of_each_scene() {
        let program = crate::cli::args::program("");
        let run = program.find_subcommand("run").expect("a command");
        let flag = run.get_arguments().find(|arg| arg.get_id() == "color_by").expect("a flag");
        let help = flag.get_help().expect("help").to_string();
        let (_, defaults) = help.split_once("[default: speed; ").expect("defaults");
        for scene in Scene::ALL {
            let named = format!("{} in {scene}", ColorBy::best_in(scene));
            let usual = ColorBy::best_in(scene) == ColorBy::Speed;
            let stands =
                if usual { !defaults.contains(scene.name()) } else { defaults.contains(&named) };
            assert!(stands, "{named}: {defaults}");
        }
    }
}
