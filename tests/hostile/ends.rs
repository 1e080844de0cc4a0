//! Runs that are killed, or end by a signal, at a random moment.

use std::{fs, os::unix::process::ExitStatusExt, thread, time::Duration};

use proptest::sample::select;

use crate::{
    asked,
    harness::{Place, jostle, works},
    runner,
};

/// Runs that write files. The last file tells whether all of them are complete.
const WRITERS: &[&str] = &[
    "record --agents 2k --steps 40 --size 320x180 a.gif",
    "record --agents 2k --steps 40 --size 320x180 a.apng",
    "record --agents 200 --steps 200 --size 320x180 f-%05d.png",
    "record --scene pile --agents 1k --steps 100 --size 160x90 a.y4m",
    "run --agents 20k --steps 40 --export a.csv --frame a.png",
    "run --agents 20k --steps 20 --export a.npz --frame a.png",
    "bench --agents 200,400 --steps 5 --repeats 2 --index naive,unit-grid --svg a.svg",
    "bench --agents 100k --warmup 0 --steps 2 --repeats 1 --index quadtree --svg a.svg",
];

/// A file that exists after the end is whole.
fn is_whole(name: &str, bytes: &[u8]) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "gif" => bytes.starts_with(b"GIF89a") && bytes.ends_with(b";"),
        "png" | "apng" => {
            bytes.starts_with(b"\x89PNG") && bytes[..bytes.len() - 4].ends_with(b"IEND")
        }
        "y4m" => {
            let head = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(0) + 1;
            (bytes.len() - head).is_multiple_of("FRAME\n".len() + 3 * 160 * 90)
        }
        "csv" => str::from_utf8(bytes).is_ok_and(|table| table.lines().count() == 20_001),
        "npz" => bytes.starts_with(b"PK") && bytes[bytes.len() - 22..].starts_with(b"PK\x05\x06"),
        "svg" => bytes.starts_with(b"<svg") && bytes.trim_ascii_end().ends_with(b"</svg>"),
        _ => false,
    }
}

/// Sends a signal to a run after some milliseconds; `Err` says what is wrong after it.
fn end(args: &str, signal: &str, after: Duration) -> Result<(), String> {
    let place = Place::new();
    let mut child = jostle(&place, args)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program can be started");
    thread::sleep(after);
    works("sh", &["-c", &format!("kill -{signal} {}", child.id())]);
    let status = child.wait().expect("it ends");
    let expected = match signal {
        "KILL" => status.signal() == Some(9),
        "INT" => status.code() == Some(130) || status.signal() == Some(2),
        "TERM" => status.code() == Some(143) || status.signal() == Some(15),
        _ => status.code() == Some(129) || status.signal() == Some(1),
    };
    if !expected && status.code() != Some(0) {
        return Err(format!("ended with {status}"));
    }
    for name in place.names() {
        let bytes = fs::read(place.path(&name)).expect("a file");
        if !is_whole(&name, &bytes) {
            return Err(format!("left {name} of {} bytes", bytes.len()));
        }
    }
    Ok(())
}

#[test]
fn an_end_at_any_moment_leaves_whole_files_only() {
    const SIGNALS: &[&str] = &["KILL", "INT", "TERM", "HUP"];
    let cases = asked("JOSTLE_SOAK_ENDS", 6) * SIGNALS.len() as u64;
    let strategy = (select(WRITERS), select(SIGNALS), 0_u64..800);
    let tried = runner(cases).run(&strategy, |(args, signal, after)| {
        end(args, signal, Duration::from_millis(after)).map_err(|why| {
            proptest::test_runner::TestCaseError::fail(format!(
                "{args}, {signal} after {after} ms: {why}"
            ))
        })
    });
    if let Err(error) = tried {
        panic!("{error}");
    }
    println!("ends: {cases} by a kill or a signal");
}
