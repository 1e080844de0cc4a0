//! `--trajectory`: files that GSD's own readers take, whole up to the last frame.

use std::{collections::BTreeMap, fs, process::Stdio, thread, time::Duration};

use crate::harness::{Place, jostle, skip, works};

/// The chunks of a frame, each with its bytes.
type Chunks = BTreeMap<String, Vec<u8>>;

/// The frames of a file: what its index says, by the rules of the format.
fn frames(bytes: &[u8]) -> Vec<Chunks> {
    let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"));
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
    assert_eq!(u64_at(0), 0x65df_65df_65df_65df);
    assert_eq!([u32_at(40), u32_at(44)], [0x1_0004, 0x2_0000]);
    assert!(bytes[112..].starts_with(b"hoomd\0"));
    let [index, entries, names, names_length] = [8, 16, 24, 32].map(|at| u64_at(at) as usize);
    let names = &bytes[names..names + 64 * names_length];
    let names: Vec<_> = names.split(|&byte| byte == 0).map(String::from_utf8_lossy).collect();
    let mut frames: Vec<Chunks> = Vec::new();
    let mut before = None;
    for at in (0..entries).map(|entry| index + 32 * entry) {
        let [frame, rows, location] = [0, 8, 16].map(|field| u64_at(at + field) as usize);
        if location == 0 {
            break;
        }
        let cols = u32_at(at + 24) as usize;
        let id = u16::from_le_bytes([bytes[at + 28], bytes[at + 29]]) as usize;
        assert!(before < Some((frame, id)), "in order");
        before = Some((frame, id));
        assert_eq!(bytes[at + 31], 0, "flags");
        let size = [0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8][bytes[at + 30] as usize];
        let chunk = bytes[location..location + rows * cols * size].to_vec();
        frames.resize_with(frame + 1, Chunks::new);
        frames[frame].insert(names[id].to_string(), chunk);
    }
    frames
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let floats =
        bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().expect("four")));
    floats.collect()
}

fn counts(bytes: &[u8]) -> Vec<u32> {
    floats(bytes).into_iter().map(f32::to_bits).collect()
}

/// The last frame is the exported state.
#[test]
fn frames_have_the_states_of_the_run() {
    let place = Place::new();
    for (scene, kinds) in [("shear", 1), ("melee", 2)] {
        let run = format!(
            "run --scene {scene} --agents 700 --world 80x60 --speed 40 --steps 30 --warmup 3"
        );
        let ended =
            place.jostle(&format!("{run} --trajectory a.gsd --trajectory-every 7 --export a.csv"));
        let ends = ["jostle: a.gsd has 5 frames, "];
        assert_eq!(ended.status, Some(0), "{ended:?}");
        assert!(ends.iter().all(|end| ended.stderr.contains(end)), "{ended:?}");
        let frames = frames(&fs::read(place.path("a.gsd")).expect("the file"));
        let steps: Vec<u8> = frames.iter().map(|frame| frame["configuration/step"][0]).collect();
        assert_eq!(steps, [3, 10, 17, 24, 31]);
        assert_eq!(frames[0]["configuration/dimensions"], [2]);
        assert_eq!(frames[0]["particles/types"].len(), 2 * kinds);
        // The state of the last frame, two steps before the end of the run.
        place.jostle(&format!("{} --export b.csv", run.replace("--steps 30", "--steps 28")));
        let mut table = csv::Reader::from_path(place.path("b.csv")).expect("a table");
        let rows: Vec<csv::StringRecord> = table.records().map(|row| row.expect("a row")).collect();
        let last = &frames[4];
        assert_eq!(floats(&last["configuration/box"]), [80.0, 60.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(counts(&last["particles/N"]), [rows.len() as u32]);
        let [ids, types] = ["log/particles/id", "particles/typeid"].map(|name| counts(&last[name]));
        let health = last.get("log/particles/health").map(|health| counts(health));
        assert_eq!(health.is_some(), scene == "melee");
        let [at, speed, wide] = ["position", "velocity", "diameter"]
            .map(|name| floats(&last[&format!("particles/{name}")]));
        assert_eq!([ids.len(), 3 * ids.len()], [rows.len(), at.len()]);
        for (row, cells) in rows.iter().enumerate() {
            let number = |column: usize| cells[column].parse::<f32>().expect("a number");
            assert_eq!(cells[0], ids[row].to_string());
            assert_eq!(at[3 * row..][..3], [number(1) - 40.0, number(2) - 30.0, 0.0]);
            assert_eq!(speed[3 * row..][..3], [number(3), number(4), 0.0]);
            assert_eq!(wide[row], 2.0 * number(5));
            assert_eq!(types[row].to_string(), cells.get(6).unwrap_or("0"));
            assert_eq!(health.as_ref().map(|all| all[row].to_string()).as_deref(), cells.get(7));
        }
        assert!(health.iter().flatten().all(|&left| left > 0));
    }
    // The film has the frames of the run.
    let film = "record --scene gas --agents 50 --steps 20 --size 64x48 a.gif --trajectory b.gsd";
    assert_eq!(place.jostle(film).status, Some(0));
    assert_eq!(frames(&fs::read(place.path("b.gsd")).expect("the file")).len(), 21);
}

/// Species are types with the names of the world file, own columns and spins are logged, and angles are
/// quaternions; the bytes of a column are those of the export.
#[test]
fn frames_have_species_spins_and_own_columns() {
    let place = Place::new();
    let world = r#"
        world = { size = [40, 30], agents = 300, speed = 5, radius = 0.5, friction = 0.5, gravity = 10 }
        [species]
        fox = { share = 0.2 }
        hare = { share = 0.8 }
        [columns]
        age = 0
        [agent]
        set.age = "age + dt"
    "#;
    fs::write(place.path("a.toml"), world).expect("a file");
    let run = "run --scene a.toml --steps 2500 --trajectory a.gsd --export a.csv";
    let ended = place.jostle(run);
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let frames = frames(&fs::read(place.path("a.gsd")).expect("the file"));
    // More than the first index has room for.
    assert_eq!(frames.len(), 2501);
    assert_eq!(frames[0]["particles/types"], *b"fox\0\0hare\0");
    let last = &frames[2500];
    assert!(!last.contains_key("particles/types"));
    let types = counts(&last["particles/typeid"]);
    let columns = ["spin", "age"].map(|name| floats(&last[&format!("log/particles/{name}")]));
    let turns = floats(&last["particles/orientation"]);
    let mut table = csv::Reader::from_path(place.path("a.csv")).expect("a table");
    let names = table.headers().expect("names").clone();
    let column = |name| names.iter().position(|known| known == name).expect("a column");
    let [species, spin, age, angle] = ["species", "spin", "age", "angle"].map(column);
    for (row, cells) in table.records().map(|row| row.expect("a row")).enumerate() {
        let number = |column: usize| cells[column].parse::<f32>().expect("a number");
        assert_eq!(types[row].to_string(), cells[species]);
        assert_eq!([columns[0][row], columns[1][row]], [number(spin), number(age)]);
        let [w, x, y, z] = turns[4 * row..][..4] else { panic!("four numbers") };
        assert_eq!([x, y], [0.0; 2]);
        assert!((2.0 * z.atan2(w) - number(angle)).abs() < 1e-5);
    }
    assert!(columns[0].iter().any(|&spin| spin != 0.0));
    assert!(frames.iter().skip(1).all(|frame| frame.len() == 16));
}

/// More frames than the first index has room for.
#[test]
fn the_index_grows() {
    let place = Place::new();
    let ended = place.jostle("run --agents 3 --steps 3000 --trajectory a.gsd");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let frames = frames(&fs::read(place.path("a.gsd")).expect("the file"));
    assert_eq!(frames.len(), 3001);
    for (step, frame) in (0..).zip(&frames) {
        let bytes: [u8; 8] = frame["configuration/step"][..].try_into().expect("eight");
        assert_eq!(u64::from_le_bytes(bytes), step);
        assert_eq!(frame.len(), if step == 0 { 10 } else { 8 });
        assert_eq!(counts(&frame["log/particles/id"]), [0, 1, 2]);
    }
}

#[test]
fn a_killed_run_leaves_whole_frames() {
    let place = Place::new();
    for wait in [50, 100, 150] {
        let mut command = jostle(&place, "run --agents 500 --steps 200k --trajectory a.gsd");
        let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run");
        while fs::metadata(place.path("a.gsd")).map_or(0, |meta| meta.len()) < 1 << 20 {
            assert!(run.try_wait().expect("a child").is_none(), "it ended early");
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_millis(wait));
        run.kill().expect("it ends");
        run.wait().expect("it has ended");
        let frames = frames(&fs::read(place.path("a.gsd")).expect("the file"));
        assert!(frames.len() > 10, "{}", frames.len());
        for (step, frame) in frames.iter().enumerate() {
            assert_eq!(frame.len(), if step == 0 { 10 } else { 8 });
            assert_eq!(counts(&frame["configuration/step"])[0], step as u32);
            assert!(
                floats(&frame["particles/diameter"]).iter().all(|wide| (1.0..=2.0).contains(wide))
            );
        }
        fs::remove_file(place.path("a.gsd")).expect("it is there");
    }
}

#[test]
fn what_no_disk_holds_is_refused() {
    let place = Place::new();
    let ended = place.jostle("run --agents 1M --steps 1G --trajectory a.gsd");
    assert_eq!(ended.status, Some(2), "{ended:?}");
    let line = ended.line();
    assert!(
        line.starts_with(
            "jostle: --trajectory a.gsd would take 32.0 PiB for 1,000,000,001 frames, "
        ),
        "{line}"
    );
    assert!(line.contains(" is free there; try --trajectory-every "), "{line}");
    for (flags, expected) in [
        (
            "--trajectory a.xyz",
            "--trajectory a.xyz has the extension .xyz; name a file that ends in .gsd",
        ),
        (
            "--trajectory -",
            "--trajectory goes back in its file, and - is a stream; name a file after ",
        ),
        ("--trajectory no/a.gsd", "no/a.gsd can't be written: "),
    ] {
        let ended = place.jostle(&format!("run --agents 10 --steps 1 {flags}"));
        assert!(ended.line().contains(expected), "{}", ended.line());
        assert!(ended.status != Some(0));
    }
    assert!(place.names().is_empty());
}

#[test]
fn gsd_reads_the_file() {
    let gsd = "gsd_reads_the_file";
    if !works("python3", &["-c", "import gsd.hoomd"]) {
        return skip(gsd, "there is no python3 with gsd");
    }
    let place = Place::new();
    place.jostle("run --agents 100 --steps 1200 --trajectory a.gsd --export a.csv");
    place.jostle("run --scene melee --agents 1000 --steps 200 --trajectory b.gsd --export b.csv");
    let program = "import gsd.hoomd, numpy as n\n\
        for name, frames in ('a', 1201), ('b', 201):\n \
        f = gsd.hoomd.open(name + '.gsd'); assert len(f) == frames\n \
        t = n.genfromtxt(name + '.csv', delimiter=',', names=True, dtype=None); s = f[-1]\n \
        w, h = s.configuration.box[:2]; p = s.particles\n \
        assert s.configuration.step == frames - 1 and s.configuration.dimensions == 2\n \
        assert (s.log['particles/id'] == t['id']).all() and p.N == len(t)\n \
        assert (p.diameter == 2 * t['radius'].astype('f4')).all()\n \
        assert (p.velocity[:, 0] == t['vx'].astype('f4')).all()\n \
        assert n.allclose(p.position[:, 1] + h / 2, t['y'], atol=1e-4)\n \
        assert name == 'a' or (p.typeid == t['faction']).all() and p.types == ['A', 'B']\n \
        assert name == 'a' or (s.log['particles/health'] == t['health']).all()\n \
        [x.validate() for x in (f[0], s)]";
    let python = place.command("python3").args(["-c", program]).output().expect("python3 runs");
    assert!(python.status.success(), "{}", String::from_utf8_lossy(&python.stderr));
}

#[test]
fn ovito_reads_the_file() {
    if !works("python3", &["-c", "import ovito.io"]) {
        return skip("ovito_reads_the_file", "there is no python3 with ovito");
    }
    let place = Place::new();
    let run =
        "run --scene dam --agents 100 --friction 0.5 --steps 50 --trajectory a.gsd --export a.csv";
    place.jostle(run);
    let program = "import ovito.io, numpy as n\n\
        p = ovito.io.import_file('a.gsd'); assert p.source.num_frames == 51\n\
        d = p.compute(50).particles; t = n.genfromtxt('a.csv', delimiter=',', names=True)\n\
        assert d.count == len(t) == 100 and (d['id'] == t['id']).all()\n\
        assert n.allclose(d['Radius'], t['radius']) and n.allclose(d['spin'], t['spin'])\n\
        assert n.allclose(d['Velocity'][:, 1], t['vy']) and d['Orientation'][:, 3].any()";
    let python = place.command("python3").args(["-c", program]).output().expect("python3 runs");
    assert!(python.status.success(), "{}", String::from_utf8_lossy(&python.stderr));
}
