//! The system call that reaches other processes past Landlock: it keeps signals and tracing, but not `prlimit`, by
//! which the same user ends any process (a limit of processor time) or keeps it from opening files.

use seccompiler::{BpfProgram, apply_filter, sock_filter};

/// Kinds of programs that this kernel runs, as `linux/audit.h` numbers them, each with its number of `prlimit64`.
#[cfg(target_arch = "x86_64")]
const KINDS: &[(u32, u32)] = &[(0xC000_003E, 302), (0x4000_0003, 340)];
#[cfg(target_arch = "aarch64")]
const KINDS: &[(u32, u32)] = &[(0xC000_00B7, 261), (0x4000_0028, 369)];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const KINDS: &[(u32, u32)] = &[];

/// What numbers of x32 have beside those of x86-64; no other number has it.
const NOT_X32: u32 = !0x4000_0000;

/// `struct seccomp_data` of `seccomp(2)`: where in it the call's number, the kind of program, and the two halves of an
/// argument stand.
const NUMBER: u32 = 0;
const KIND: u32 = 4;
const fn halves(argument: u32) -> [u32; 2] {
    [16 + 8 * argument, 20 + 8 * argument]
}
/// The process whose limits are asked for; 0: the one that asks.
const WHOSE: u32 = 0;
/// The limit that is set; none where it is only read.
const NEW: u32 = 2;

/// The filter's two answers, the second with the error `EPERM`.
const ALLOW: u32 = 0x7FFF_0000;
const NOT_PERMITTED: u32 = 0x0005_0000 | 1;

/// From now on this thread, and what it starts, sets no limits of processes that it names. False: the kernel takes no
/// filter, or the call's number is not known here.
pub(super) fn refuse() -> bool {
    !KINDS.is_empty() && apply_filter(&filter()).is_ok()
}

/// Allows everything but `prlimit` with a process and a new limit, which is not permitted. The kernel tries it with
/// every number when it takes it, so the way of the others is short.
fn filter() -> BpfProgram {
    let load = |at| step(0x20, (0, 0), at);
    let equal = |value, (then, or)| step(0x15, (then, or), value);
    let end = |answer| step(0x06, (0, 0), answer);
    let mut program = BpfProgram::new();
    for (at, (kind, number)) in KINDS.iter().enumerate() {
        let later = u8::try_from(KINDS.len() - 1 - at).unwrap_or(0) * 6 + 2;
        program.extend([
            load(KIND),
            equal(*kind, (0, 4)),
            load(NUMBER),
            step(0x54, (0, 0), NOT_X32),
            equal(*number, (later, 0)),
            end(ALLOW),
        ]);
    }
    let [whose, _] = halves(WHOSE);
    let [low, high] = halves(NEW);
    program.extend([
        end(ALLOW),
        load(whose),
        equal(0, (4, 0)),
        load(low),
        equal(0, (0, 3)),
        load(high),
        equal(0, (0, 1)),
        end(ALLOW),
        end(NOT_PERMITTED),
    ]);
    program
}

fn step(code: u16, (jt, jf): (u8, u8), k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    #[test]
    fn limits_of_others_are_read_and_ones_own_are_set() {
        let other = Pid::from_raw(std::process::id().cast_signed());
        let cpu = Rlimit {
            current: Some(1_000_000),
            maximum: None,
        };
        let aside = std::thread::spawn(move || {
            assert!(refuse());
            let own = rustix::process::getrlimit(Resource::Cpu);
            let set = rustix::process::setrlimit(Resource::Cpu, own);
            (set, prlimit(other, Resource::Cpu, cpu))
        });
        let (own, others) = aside.join().unwrap();
        assert_eq!(own, Ok(()));
        assert_eq!(others.unwrap_err(), rustix::io::Errno::PERM);
    }

    /// What the kernel would answer to this call.
    fn answer(call: &[u32; 16]) -> u32 {
        let (program, mut at, mut value) = (filter(), 0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = program[at];
            at += 1;
            match code {
                0x20 => value = call[k as usize / 4],
                0x54 => value &= k,
                0x15 => at += usize::from(if value == k { jt } else { jf }),
                0x06 => return k,
                _ => panic!("{code}"),
            }
        }
    }

    #[test]
    fn of_each_kind_of_programs_that_call_alone_is_refused_and_only_where_it_reaches_another() {
        let known = KINDS.iter().map(|(kind, number)| (*kind, *number, *number));
        let x32 = KINDS
            .first()
            .map(|(kind, number)| (*kind, *number, !NOT_X32 | number));
        for (kind, number, spoken) in known.chain(x32) {
            for (whose, low, high, refused) in [
                (0, 0, 0, false),
                (7, 0, 0, false),
                (0, 1, 1, false),
                (7, 1, 0, true),
                (7, 0, 1, true),
            ] {
                let mut call = [0; 16];
                (call[0], call[1], call[4]) = (spoken, kind, whose);
                (call[8], call[9]) = (low, high);
                let expected = if refused { NOT_PERMITTED } else { ALLOW };
                assert_eq!(answer(&call), expected, "{call:?}");
                for other in (0..600).filter(|other| *other != number) {
                    call[0] = other;
                    assert_eq!(answer(&call), ALLOW, "{call:?}");
                }
            }
        }
    }
}
