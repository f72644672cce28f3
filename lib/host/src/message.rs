//! Texts to be judged: a file or stdin, of any size, in bounded memory.

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_judge::Message;
use overnight_judge::marker::Marker;
use overnight_judge::scan::Scan;
use overnight_judge::stream::Stream;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// One read of a large text.
const CHUNK_BYTES: usize = 256 << 10;
/// Longest text that is read whole.
const WHOLE_BYTES_MAX: u64 = 64 << 20;

/// Reads the final message at `path` (`-` is stdin) and what it says. `stream`: the text is the
/// client's stream, of which the final message is one part.
pub fn read(path: Option<&Path>, stream: bool, marker: &Marker) -> Result<Message, Fault> {
    let Some(path) = path else {
        return Ok(Message::nothing("no final message was given"));
    };
    if !stream {
        let mut scan = Scan::new(marker.clone());
        each_chunk(path, |chunk| scan.push(chunk))?;
        return Ok(scan.finish());
    }
    let mut events = Stream::default();
    each_chunk(path, |chunk| events.push(chunk))?;
    Ok(match events.finish() {
        Ok(text) => Message::of_text(&text, marker),
        Err(why) => Message::nothing(why),
    })
}

/// Reads a whole text, lossily, up to a bound; `None` or `-` is stdin.
pub fn bounded(path: Option<&Path>) -> Result<String, Fault> {
    let path = path.unwrap_or(Path::new("-"));
    let mut bytes = Vec::new();
    open(path)?
        .take(WHOLE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| fault(path, &error))?;
    if bytes.len() as u64 > WHOLE_BYTES_MAX {
        return Err(Fault::new(
            Code::InputData,
            format!("{} is larger than 64 MiB", path.display()),
        ));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn each_chunk(path: &Path, mut take: impl FnMut(&[u8])) -> Result<(), Fault> {
    let mut input = open(path)?;
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match input.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(read) => take(&chunk[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(fault(path, &error)),
        }
    }
}

fn open(path: &Path) -> Result<Box<dyn Read>, Fault> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin()));
    }
    let about = std::fs::metadata(path).map_err(|error| fault(path, &error))?;
    let refuse = |what: &str| {
        Err(Fault::new(
            Code::InputPath,
            format!("{} is {what}, not a text file", path.display()),
        ))
    };
    if about.is_dir() {
        return refuse("a folder");
    }
    // A pipe that the shell made for `<(command)` has a writer; a named one may never get one.
    let made_by_the_shell = path.starts_with("/dev/fd") || path.starts_with("/proc");
    if about.file_type().is_fifo() && !made_by_the_shell {
        return refuse("a named pipe");
    }
    if about.file_type().is_char_device()
        && path != Path::new("/dev/stdin")
        && path != Path::new("/dev/null")
    {
        return refuse("a device");
    }
    File::open(path)
        .map(|file| Box::new(file) as Box<dyn Read>)
        .map_err(|error| fault(path, &error))
}

fn fault(path: &Path, error: &std::io::Error) -> Fault {
    let code = match error.kind() {
        std::io::ErrorKind::NotFound => Code::InputMissing,
        _ => Code::FileRead,
    };
    Fault::new(code, format!("{}: {error}", path.display()))
}
