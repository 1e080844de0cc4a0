//! Displays that aren't there, go away, or can't be used; and drivers that can't.

use std::{
    fs,
    io::{self, Read, Write},
    net::TcpListener,
    os::unix::net::UnixStream,
    thread,
};

use crate::{
    Path,
    desk::Desk,
    expected::Stage,
    program::{Program, command, command_on, open},
};

crate::on_both_paths! {
    a_display_that_goes_away_ends_in_one_line
}

fn a_display_that_goes_away_ends_in_one_line(path: Path) {
    // Asleep, so that the end of the display wakes it: Xlib would end the program itself.
    let (mut stage, _) = Stage::paused(path);
    stage.program.wait_asleep(&stage.desk);
    // On a busy machine, the server may still have something to send that wakes it first.
    stage.desk.wait_served();
    stage.program.wait_asleep(&stage.desk);
    stage.desk.kill();
    let (status, lines) = stage.program.end();
    assert_eq!(status.code(), Some(1), "{lines:#?}");
    let last_frame = lines.iter().rposition(|line| line.starts_with("frame ")).expect("frames");
    let [line] = &lines[last_frame + 1..] else { panic!("not one line: {lines:#?}") };
    assert!(line.starts_with("jostle: the display was lost ("), "{line}");
}

#[test]
fn no_display_runs_without_a_window() {
    let folder = tempfile::tempdir().expect("a folder");
    for (display, reason, picture) in [
        (None, "neither WAYLAND_DISPLAY nor DISPLAY is set", "jostle.png"),
        (Some(":54321"), "DISPLAY=:54321 does not answer", "jostle-2.png"),
    ] {
        let mut command = command(folder.path());
        command.args(["--agents", "100"]);
        if let Some(display) = display {
            command.env("DISPLAY", display);
        }
        let (status, lines) = Program::start(&mut command).end();
        assert_eq!(status.code(), Some(0), "{lines:#?}");
        let line = lines.first().expect("it says so");
        assert!(line.starts_with("jostle: no display: "), "{line}");
        assert!(line.contains(reason) && line.contains(picture), "{line}");
        assert!(folder.path().join(picture).exists(), "{picture}");
    }
}

#[test]
fn a_dead_wayland_socket_gives_way_to_x11() {
    let desk = Desk::new();
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = command_on(&desk, folder.path(), Path::Softbuffer);
    command.args(["--agents", "100"]).env("WAYLAND_DISPLAY", "wayland-nowhere");
    let mut program = Program::start(&mut command);
    program.wait_frame();
}

#[test]
fn an_adapter_that_is_not_there_is_one_line_and_softbuffer() {
    let desk = Desk::new();
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = command_on(&desk, folder.path(), Path::Gpu);
    command.args(["--agents", "100"]).env("WGPU_ADAPTER_NAME", "no such adapter");
    let mut program = Program::start(&mut command);
    program.wait_frame();
    desk.ask_to_close(desk.window());
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(0), "{lines:#?}");
    assert!(
        lines[0].starts_with("jostle: no GPU to present with (WGPU_ADAPTER_NAME"),
        "{lines:#?}"
    );
    assert!(lines[1].starts_with("ready ") && lines[1].contains(" softbuffer "), "{lines:#?}");
}

/// Each is one sentence, before anything panics; colors of 16 bits are no missing package.
#[test]
fn servers_that_have_no_room_for_a_window_are_one_sentence() {
    for (server, variables, reason) in [
        (&["-extension", "RANDR"][..], &[][..], "the X server lacks the extension RANDR; "),
        (&["-screen", "0", "640x400x16"], &[], "the screen has colors of 16 bits, and 24 are "),
        (&[], &[("WINIT_X11_SCALE_FACTOR", "1,5")], "WINIT_X11_SCALE_FACTOR=1,5 is no scale; "),
        (&[], &[("WINIT_X11_SCALE_FACTOR", "-1")], "WINIT_X11_SCALE_FACTOR=-1 is no scale; "),
        (&[], &[("XENVIRONMENT", "resources")], "Xft.dpi is 0; set it to 96, "),
    ] {
        let desk = Desk::with(server);
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("resources"), "Xft.dpi: 0\n").expect("a file");
        let mut command = command_on(&desk, folder.path(), Path::Softbuffer);
        command.args(["--agents", "100"]).envs(variables.iter().copied());
        let (status, lines) = Program::start(&mut command).end();
        assert_eq!(status.code(), Some(1), "{lines:#?}");
        let [line] = &lines[..] else { panic!("not one line: {lines:#?}") };
        assert!(line.starts_with("jostle: can't open a window: "), "{line}");
        assert!(line.contains(reason) && !line.contains("apt-get"), "{line}");
    }
}

/// No server of today is that old. The question for version 2 of `XInput` is changed on its way to
/// one into a request that no server knows.
#[test]
fn a_server_with_the_first_version_of_xinput_is_one_sentence() {
    const QUESTION: [u8; 7] = [47, 2, 0, 2, 0, 3, 0];
    let desk = Desk::new();
    let socket = format!("/tmp/.X11-unix/X{}", desk.name.trim_start_matches(':'));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.expect("a client");
            let mut server = UnixStream::connect(&socket).expect("the server");
            let mut answers = server.try_clone().expect("a socket");
            let mut to_client = client.try_clone().expect("a socket");
            thread::spawn(move || io::copy(&mut answers, &mut to_client));
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                while let Ok(count @ 1..) = client.read(&mut bytes) {
                    let at = bytes[..count].windows(7).position(|window| window == QUESTION);
                    if let Some(at) = at {
                        bytes[at] = 255;
                    }
                    server.write_all(&bytes[..count]).expect("a server that reads");
                }
            });
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = command_on(&desk, folder.path(), Path::Softbuffer);
    // A display has the port 6000 and its number.
    let display = format!("127.0.0.1:{}", i32::from(port) - 6000);
    let (status, lines) =
        Program::start(command.args(["--agents", "100"]).env("DISPLAY", display)).end();
    assert_eq!(status.code(), Some(1), "{lines:#?}");
    let [line] = &lines[..] else { panic!("not one line: {lines:#?}") };
    let sentence =
        "jostle: can't open a window: the X server has XInputExtension 1, and 2 is needed; ";
    assert!(line.starts_with(sentence), "{line}");
}

/// A library that can't be loaded takes the place of a missing one: it comes first on the search
/// path, so that the real one isn't found.
#[test]
fn a_missing_library_is_one_sentence_with_the_package() {
    let desk = Desk::new();
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["libxkbcommon-x11.so.0", "libxkbcommon-x11.so"] {
        fs::write(folder.path().join(name), "not a library").expect("a file");
    }
    let mut command = command_on(&desk, folder.path(), Path::Softbuffer);
    command.args(["--agents", "100"]).env("LD_LIBRARY_PATH", folder.path());
    let (status, lines) = Program::start(&mut command).end();
    assert_eq!(status.code(), Some(1), "{lines:#?}");
    let [line] = &lines[..] else { panic!("not one line: {lines:#?}") };
    assert!(line.starts_with("jostle: the window needs libxkbcommon-x11.so.0"), "{line}");
    assert!(line.contains("apt-get install libxkbcommon-x11-0"), "{line}");
}

#[test]
fn bad_flags_are_refused_before_a_window_opens() {
    let desk = Desk::new();
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = command_on(&desk, folder.path(), Path::Softbuffer);
    let (status, lines) = Program::start(command.args(["--density", "0.99"])).end();
    assert_eq!(status.code(), Some(2), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.starts_with("ready")), "{lines:#?}");
}

/// Libraries complain of a locale that is not there, and of a missing `XDG_RUNTIME_DIR`.
#[test]
fn libraries_print_nothing_when_a_window_opens() {
    for path in [Path::Gpu, Path::SoftwareDriver] {
        let desk = Desk::new();
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = command_on(&desk, folder.path(), path);
        command
            .args(["--agents", "100"])
            .env_remove("XDG_RUNTIME_DIR")
            .env("LC_ALL", "xx_YY.UTF-8");
        // The loader of Vulkan asks the display which driver to prefer.
        command.env_remove("VK_ICD_FILENAMES").env_remove("VK_DRIVER_FILES");
        let mut program = Program::start(&mut command);
        program.wait_frame();
        desk.ask_to_close(desk.window());
        let (status, lines) = program.end();
        assert_eq!(status.code(), Some(0), "{lines:#?}");
        let events = ["ready ", "K, and drag ", "frame ", "times ", "closed"];
        let other: Vec<&String> = lines
            .iter()
            .filter(|line| !events.iter().any(|event| line.starts_with(event)))
            .collect();
        assert!(other.is_empty(), "{path:?}: {other:#?}");
    }
}

/// Without these settings, glibc keeps the memory that runs have freed; `soak` shows how much.
#[test]
fn large_blocks_go_back_to_the_system() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_desk, program) = open(folder.path(), &["--agents", "2000"]);
    for setting in ["MALLOC_MMAP_THRESHOLD_=16384", "MALLOC_ARENA_MAX=1"] {
        assert!(program.environment().contains(setting), "{setting}");
    }
}
