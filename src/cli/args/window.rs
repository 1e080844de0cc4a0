//! The flags of the window itself. What it had when it was closed is what it has without them.

use clap::Args;

use crate::{
    cli::{Failure, Outcome},
    format::grouped,
    window::{
        FilmFormat, FilmOptions, FilmRate, FilmSize, FilmTime, Labels, PresenterChoice, Settings,
    },
};

use super::{
    names,
    picture::{PictureArgs, StyleArgs},
    values,
};

/// The window of `jostle watch`.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Window")]
pub(crate) struct WindowArgs {
    /// Width and height of the window, in pixels of a screen of scale 1 [default: those of the last
    /// window, at first 1280x720]
    #[arg(long, value_name = "WxH", value_parser = values::size, allow_hyphen_values = true)]
    size: Option<[u32; 2]>,
    /// Open in full screen
    #[arg(long)]
    pub(crate) fullscreen: bool,
    /// Show scene after scene, each for some seconds in the colors that suit it, until T is pressed or
    /// something else is done
    #[arg(long, conflicts_with_all = ["start", "load", "replay"])]
    pub(crate) tour: bool,
    /// Show the control panel, or not: --panel=off [default: as in the last window]
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    #[arg(value_parser = names::switch)]
    panel: Option<bool>,
    /// Let bright places glow, or not: --glow=off [default: as in the last window]
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    #[arg(value_parser = names::switch)]
    glow: Option<bool>,
    /// Size of all text and of the panel: 1.5 is half as large again [default: that of the last
    /// window, at first 1]
    #[arg(long, value_name = "F", value_parser = values::number, allow_hyphen_values = true)]
    interface_scale: Option<f32>,
    /// Format of films: apng, gif, y4m (for ffmpeg) [default: that of the last window, at first apng]
    #[arg(long, value_name = "FORMAT", value_parser = names::film_format, allow_hyphen_values = true)]
    film: Option<FilmFormat>,
    /// Time of films: simulated (a slow run films smoothly), wall (as it was seen) [default: that of
    /// the last window, at first simulated]
    #[arg(long, value_name = "TIME", value_parser = names::film_time, allow_hyphen_values = true)]
    film_time: Option<FilmTime>,
    /// Frames per second of films: 30, 60 (30 in a GIF) [default: that of the last window, at first 30]
    #[arg(long, value_name = "FPS", value_parser = names::film_rate, allow_hyphen_values = true)]
    film_rate: Option<FilmRate>,
    /// Size of films: window, 1280x720, 1920x1080, 3840x2160 [default: that of the last window, at first
    /// window]
    #[arg(long, value_name = "SIZE", value_parser = names::film_size, allow_hyphen_values = true)]
    film_size: Option<FilmSize>,
    /// Write a clock, a scale bar and legends on pictures and films, or not: --labels=off [default: as in
    /// the last window, at first off]
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    #[arg(value_parser = names::labels)]
    labels: Option<Labels>,
    /// What brings frames to the screen: gpu, cpu, or auto, which is the GPU unless its driver is
    /// software [default: auto]
    #[arg(long, value_name = "WHAT", value_parser = names::presenter, allow_hyphen_values = true)]
    pub(crate) present: Option<PresenterChoice>,
}

impl WindowArgs {
    /// The settings that a window begins with, given the settings of the last one.
    ///
    /// # Errors
    /// A usage error for a value that no window can have.
    pub(crate) fn settings(&self, last: &Settings) -> Outcome<Settings> {
        let (sides, scales) = (Settings::SIDES, Settings::INTERFACE_SCALES);
        if let Some([width, height]) = self.size
            && ![width, height].iter().all(|side| sides.contains(side))
        {
            let [least, most] = [sides.start(), sides.end()].map(|side| grouped(*side));
            return Err(Failure::usage(format!(
                "--size {width}x{height} is out of range: expected sides of {least} to {most}"
            )));
        }
        let scale = self.interface_scale;
        if let Some(scale) = scale.filter(|scale| !scales.contains(scale)) {
            let [least, most] = [scales.start(), scales.end()];
            return Err(Failure::usage(format!(
                "--interface-scale {scale} is out of range: expected {least} to {most}"
            )));
        }
        Ok(Settings {
            size: self.size.or(last.size),
            panel: self.panel.unwrap_or(last.panel),
            glow: self.glow.unwrap_or(last.glow),
            interface_scale: scale.unwrap_or(last.interface_scale),
            film: FilmOptions {
                format: self.film.unwrap_or(last.film.format),
                time: self.film_time.unwrap_or(last.film.time),
                rate: self.film_rate.unwrap_or(last.film.rate),
                size: self.film_size.unwrap_or(last.film.size),
                labels: self.labels.unwrap_or(last.film.labels),
            },
            ..last.clone()
        })
    }

    /// The picture that is drawn where there is no display.
    pub(crate) fn picture(&self, style: StyleArgs) -> PictureArgs {
        let Self { size, glow, .. } = *self;
        PictureArgs { size, view: None, glow: glow.unwrap_or(false), style }
    }
}
