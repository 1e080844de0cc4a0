//! The program `jostle`.

fn main() -> std::process::ExitCode {
    jostle::cli::main()
}
