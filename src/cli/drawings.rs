//! Polylines of a world file from a drawing in SVG: its paths and shapes, as points.
//!
//! ```text
//! svg ─► elements ─► path data ─► M L C Q Z ─► points, y up, from 0 to the size of the drawing
//!        transforms   of each                  a line for each part of a path
//! ```
//!
//! A curve becomes points between which it is at most a ten-thousandth of the drawing away from them.
//! Sines are those of the crate `libm`, so that the points have the same bits everywhere. Styles do not
//! count; definitions and what has `display="none"` are left out.

use std::{collections::BTreeSet, path::Path, str::FromStr};

use roxmltree::{Document, Node, ParsingOptions};
use svgtypes::{
    Length, LengthUnit, PathParser, PathSegment, SimplePathSegment, SimplifyingPathParser,
    Transform, ViewBox,
};

use super::{input, say};
use crate::rules::GroupTable;

/// Largest file that is read, bytes.
const BYTES_MAX: u64 = 4 << 20;

/// Elements, texts and comments of a file.
const NODES_MAX: u32 = 100_000;

/// Points of all lines.
const POINTS_MAX: usize = 20_000;

/// Largest number in a file, and largest coordinate of a point.
const NUMBER_MAX: f64 = 1e9;

/// Largest distance of a curve from its points, as a share of the longer side of the drawing.
const DISTANCE: f64 = 1e-4;

/// Elements that are drawn only where something refers to them.
const DEFINITIONS: [&str; 6] = ["defs", "clipPath", "mask", "symbol", "marker", "pattern"];

/// Elements that show something which has no lines here.
const UNUSED: [&str; 5] = ["text", "use", "image", "foreignObject", "switch"];

const SIZE: &str = "it states no size; add viewBox=\"0 0 WIDTH HEIGHT\" to <svg>";

/// The lines that were traced so far.
struct Tracing {
    view: ViewBox,
    points: Vec<[f64; 2]>,
    /// Where each of them begins.
    begins: Vec<usize>,
}

/// Reads the lines of a drawing.
///
/// # Errors
/// Why it can't be used, as the end of a sentence.
pub(super) fn read(path: &Path, file: &str) -> Result<GroupTable, String> {
    let text = input::text(path, BYTES_MAX, "simplify it").map_err(|failure| failure.message)?;
    let refused = |why: &str| format!("{} can't be used: {why}", path.display());
    let options = ParsingOptions { allow_dtd: true, nodes_limit: NODES_MAX, ..Default::default() };
    let document = Document::parse_with_options(&text, options)
        .map_err(|error| refused(&format!("it is no SVG: {error}")))?;
    let svg = document.root_element();
    if svg.tag_name().name() != "svg" {
        let found = svg.tag_name().name();
        return Err(refused(&format!("it is no SVG, but begins with <{found}>")));
    }
    let located = |node: Node<'_, '_>, why: String| {
        let at = document.text_pos_at(node.range().start);
        format!("{}:{}:{}: {why}", path.display(), at.row, at.col)
    };
    let view = size(svg).ok_or_else(|| refused(SIZE))?;
    let mut tracing = Tracing { view, points: Vec::new(), begins: Vec::new() };
    let mut unused = BTreeSet::new();
    // Of each node, by its number; none where nothing is drawn.
    let mut places: Vec<Option<Transform>> = Vec::new();
    for node in document.descendants() {
        let outer = node.parent_element().map_or(Some(Transform::default()), |parent| {
            places.get(parent.id().get_usize()).copied().flatten()
        });
        places.resize(node.id().get_usize() + 1, None);
        let name = node.tag_name().name();
        let is_shown = node.is_element()
            && !DEFINITIONS.contains(&name)
            && node.attribute("display").map(str::trim) != Some("none");
        let Some(outer) = outer.filter(|_| is_shown) else { continue };
        if UNUSED.contains(&name) || (name == "svg" && node != svg) {
            unused.insert(name);
            continue;
        }
        let own = node.attribute("transform").map_or(Ok(Transform::default()), Transform::from_str);
        let own = own.map_err(|error| located(node, format!("transform: {error}")))?;
        let place = within(&outer, &own);
        places[node.id().get_usize()] = Some(place);
        let traced = path_of(node).and_then(|data| tracing.trace(&data, &place));
        traced.map_err(|why| located(node, format!("<{name}>: {why}")))?;
    }
    if !unused.is_empty() {
        let unused: Vec<&str> = unused.into_iter().collect();
        say(&format!("{}: not used: {}", path.display(), unused.join(", ")));
    }
    tracing.end_line();
    if tracing.points.is_empty() {
        return Err(refused(
            "it has no lines: expected path, polyline, polygon, line, rect, circle or ellipse",
        ));
    }
    let axis = |of: usize| tracing.points.iter().map(|point| point[of] as f32).collect();
    Ok(GroupTable {
        file: file.to_owned(),
        x: axis(0),
        y: axis(1),
        begins: tracing.begins,
        size: Some([view.w as f32, view.h as f32]),
        ..GroupTable::default()
    })
}

/// The part of the plane that a drawing shows.
fn size(svg: Node<'_, '_>) -> Option<ViewBox> {
    let side = |name| number(svg, name).ok().filter(|&side| side > 0.0);
    let view = match svg.attribute("viewBox") {
        Some(text) => ViewBox::from_str(text).ok()?,
        None => ViewBox::new(0.0, 0.0, side("width")?, side("height")?),
    };
    let is_sound = |side: f64| (1e-6..=NUMBER_MAX).contains(&side);
    let begins = [view.x, view.y].iter().all(|begin| begin.abs() <= NUMBER_MAX);
    (begins && is_sound(view.w) && is_sound(view.h)).then_some(view)
}

/// The transform of what is in an element that has one itself.
fn within(outer: &Transform, own: &Transform) -> Transform {
    Transform::new(
        outer.a * own.a + outer.c * own.b,
        outer.b * own.a + outer.d * own.b,
        outer.a * own.c + outer.c * own.d,
        outer.b * own.c + outer.d * own.d,
        outer.a * own.e + outer.c * own.f + outer.e,
        outer.b * own.e + outer.d * own.f + outer.f,
    )
}

/// A number of an element, 0 if it has none.
fn number(node: Node<'_, '_>, name: &str) -> Result<f64, String> {
    let Some(text) = node.attribute(name) else { return Ok(0.0) };
    let length = Length::from_str(text.trim()).ok();
    let plain = length.filter(|it| matches!(it.unit, LengthUnit::None | LengthUnit::Px));
    plain
        .map(|length| length.number)
        .filter(|number| number.abs() <= NUMBER_MAX)
        .ok_or_else(|| format!("{name} {text:?} can't be used: expected a number without a unit"))
}

/// The path data of an element; empty if it has no lines.
fn path_of(node: Node<'_, '_>) -> Result<String, String> {
    let number = |name| number(node, name);
    let points = || node.attribute("points").unwrap_or_default().trim();
    let ellipse = |x: f64, y: f64, rx: f64, ry: f64| {
        let [left, right] = [x - rx, x + rx];
        let is_drawn = rx > 0.0 && ry > 0.0;
        let arcs = format!("M{left} {y}A{rx} {ry} 0 1 0 {right} {y}A{rx} {ry} 0 1 0 {left} {y}Z");
        if is_drawn { arcs } else { String::new() }
    };
    Ok(match node.tag_name().name() {
        "path" => node.attribute("d").unwrap_or_default().to_owned(),
        "polyline" | "polygon" if points().is_empty() => String::new(),
        "polyline" => format!("M{}", points()),
        "polygon" => format!("M{}Z", points()),
        "line" => {
            let [x, y, to_x, to_y] = [number("x1")?, number("y1")?, number("x2")?, number("y2")?];
            format!("M{x} {y}L{to_x} {to_y}")
        }
        "rect" => {
            let [x, y, width, height] =
                [number("x")?, number("y")?, number("width")?, number("height")?];
            if width <= 0.0 || height <= 0.0 {
                return Ok(String::new());
            }
            let [right, top] = [x + width, y + height];
            let given = [number("rx")?, number("ry")?].map(|radius| radius.max(0.0));
            let [rx, ry] = [0, 1].map(|of| if given[of] > 0.0 { given[of] } else { given[1 - of] });
            let (rx, ry) = (rx.min(0.5 * width), ry.min(0.5 * height));
            if rx == 0.0 || ry == 0.0 {
                return Ok(format!("M{x} {y}H{right}V{top}H{x}Z"));
            }
            let [near_x, far_x, near_y, far_y] = [x + rx, right - rx, y + ry, top - ry];
            let arc = |to_x: f64, to_y: f64| format!("A{rx} {ry} 0 0 1 {to_x} {to_y}");
            format!(
                "M{near_x} {y}H{far_x}{}V{far_y}{}H{near_x}{}V{near_y}{}Z",
                arc(right, near_y),
                arc(far_x, top),
                arc(x, far_y),
                arc(near_x, y)
            )
        }
        "circle" => ellipse(number("cx")?, number("cy")?, number("r")?, number("r")?),
        "ellipse" => ellipse(number("cx")?, number("cy")?, number("rx")?, number("ry")?),
        _ => String::new(),
    })
}

/// True if no number of a segment is too large to be used.
fn is_moderate(segment: &PathSegment) -> bool {
    let all = match *segment {
        PathSegment::MoveTo { x, y, .. }
        | PathSegment::LineTo { x, y, .. }
        | PathSegment::SmoothQuadratic { x, y, .. } => [x, y, 0.0, 0.0, 0.0, 0.0],
        PathSegment::HorizontalLineTo { x, .. } => [x, 0.0, 0.0, 0.0, 0.0, 0.0],
        PathSegment::VerticalLineTo { y, .. } => [0.0, y, 0.0, 0.0, 0.0, 0.0],
        PathSegment::CurveTo { x1, y1, x2, y2, x, y, .. } => [x1, y1, x2, y2, x, y],
        PathSegment::SmoothCurveTo { x2, y2, x, y, .. } => [x2, y2, x, y, 0.0, 0.0],
        PathSegment::Quadratic { x1, y1, x, y, .. } => [x1, y1, x, y, 0.0, 0.0],
        PathSegment::EllipticalArc { rx, ry, x_axis_rotation, x, y, .. } => {
            [rx, ry, x_axis_rotation, x, y, 0.0]
        }
        PathSegment::ClosePath { .. } => [0.0; 6],
    };
    all.iter().all(|number| number.abs() <= NUMBER_MAX)
}

impl Tracing {
    /// Adds the lines of path data.
    ///
    /// # Errors
    /// What is wrong with it, or if there are too many points.
    fn trace(&mut self, data: &str, place: &Transform) -> Result<(), String> {
        let large = || format!("a number is too large: expected at most {NUMBER_MAX:e} in size");
        // Of an arc with a huge radius, all of its parts would be traced.
        for segment in PathParser::from(data) {
            let segment = segment.map_err(|error| error.to_string())?;
            is_moderate(&segment).then_some(()).ok_or_else(large)?;
        }
        let (mut at, mut first) = ([0.0; 2], [0.0; 2]);
        for segment in SimplifyingPathParser::from(data) {
            match segment.map_err(|error| error.to_string())? {
                SimplePathSegment::MoveTo { x, y } => {
                    self.end_line();
                    self.begins.push(self.points.len());
                    (at, first) = ([x, y], [x, y]);
                    self.point(at, place)?;
                }
                SimplePathSegment::LineTo { x, y } => {
                    at = [x, y];
                    self.point(at, place)?;
                }
                SimplePathSegment::CurveTo { x1, y1, x2, y2, x, y } => {
                    self.curve([at, [x1, y1], [x2, y2], [x, y]], place)?;
                    at = [x, y];
                }
                SimplePathSegment::Quadratic { x1, y1, x, y } => {
                    // The same curve with four points.
                    let toward =
                        |end: [f64; 2]| [(end[0] + 2.0 * x1) / 3.0, (end[1] + 2.0 * y1) / 3.0];
                    self.curve([at, toward(at), toward([x, y]), [x, y]], place)?;
                    at = [x, y];
                }
                SimplePathSegment::ClosePath => {
                    at = first;
                    self.point(at, place)?;
                }
            }
        }
        Ok(())
    }

    /// Where a place of the drawing lies, from its lower left corner.
    fn placed(&self, [x, y]: [f64; 2], place: &Transform) -> [f64; 2] {
        let Transform { a, b, c, d, e, f } = *place;
        let ViewBox { x: left, y: top, h, .. } = self.view;
        [a * x + c * y + e - left, h - (b * x + d * y + f - top)]
    }

    /// Adds a point, unless it is that before it.
    fn point(&mut self, at: [f64; 2], place: &Transform) -> Result<(), String> {
        let point = self.placed(at, place);
        self.add(point)
    }

    fn add(&mut self, point: [f64; 2]) -> Result<(), String> {
        if !point.iter().all(|number| number.abs() <= NUMBER_MAX) {
            return Err("a point lies too far away from the drawing".to_owned());
        }
        let is_first = self.begins.last() == Some(&self.points.len());
        if !is_first && self.points.last() == Some(&point) {
            return Ok(());
        }
        if self.points.len() == POINTS_MAX {
            return Err(format!("the drawing has more than {POINTS_MAX} points; simplify it"));
        }
        self.points.push(point);
        Ok(())
    }

    /// Adds the points of a cubic curve behind the first one: so many that none of its parts is
    /// farther from its chord than [`DISTANCE`] (G. Wang, 1984).
    fn curve(&mut self, points: [[f64; 2]; 4], place: &Transform) -> Result<(), String> {
        let [p, q, r, s] = points.map(|point| self.placed(point, place));
        let bend = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
            let [x, y] = [0, 1].map(|of| a[of] - 2.0 * b[of] + c[of]);
            (x * x + y * y).sqrt()
        };
        let allowed = DISTANCE * self.view.w.max(self.view.h);
        let parts = (0.75 * bend(p, q, r).max(bend(q, r, s)) / allowed).sqrt().ceil();
        let parts = parts.clamp(1.0, POINTS_MAX as f64 + 1.0) as u32;
        for part in 1..=parts {
            let t = f64::from(part) / f64::from(parts);
            let u = 1.0 - t;
            let weights = [u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t];
            let along = |of: usize| {
                weights[0] * p[of] + weights[1] * q[of] + weights[2] * r[of] + weights[3] * s[of]
            };
            self.add(if part == parts { s } else { [along(0), along(1)] })?;
        }
        Ok(())
    }

    /// Ends a line; one of a single point is none.
    fn end_line(&mut self) {
        if let Some(&begin) = self.begins.last()
            && self.points.len() - begin < 2
        {
            self.points.truncate(begin);
            self.begins.pop();
        }
    }
}
