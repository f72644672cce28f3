//! Redirections: what is read, what is written, what goes to the network.

use super::Machine;
use crate::bash::{Redirect, RedirectOp};
use crate::context::Entry;
use crate::data::Data;
use crate::effects::{self, How};

/// Where a command's streams lead.
#[derive(Debug, Default)]
pub(super) struct Plumbing {
    /// What it reads, if redirected.
    pub(super) stdin: Option<Data>,
    /// The file that its output goes to, and whether it is appended.
    pub(super) stdout: Option<(String, bool)>,
    /// Its output goes to the network.
    pub(super) network: bool,
}

impl Machine<'_> {
    /// Follows redirections in order.
    pub(super) fn plumb(&mut self, redirects: &[Redirect], permanent: bool) -> Plumbing {
        let mut plumbing = Plumbing::default();
        for redirect in redirects {
            match redirect.op {
                RedirectOp::HereDocument => {
                    let text = redirect
                        .body
                        .get()
                        .map(|body| self.text(body))
                        .unwrap_or_default();
                    effects::shows(self, &text);
                    self.feed(&mut plumbing, &redirect.fd, Data::known(&text));
                }
                RedirectOp::HereString => {
                    let text = self.text(&redirect.target);
                    effects::shows(self, &text);
                    self.feed(
                        &mut plumbing,
                        &redirect.fd,
                        Data::known(&format!("{text}\n")),
                    );
                }
                _ => self.file_redirect(redirect, &mut plumbing, permanent),
            }
        }
        plumbing
    }

    fn feed(&mut self, plumbing: &mut Plumbing, fd: &str, data: Data) {
        if fd.is_empty() || fd == "0" {
            plumbing.stdin = Some(data);
        } else {
            for name in [format!("/dev/fd/{fd}"), format!("/proc/self/fd/{fd}")] {
                self.files.insert(name, data.clone());
            }
        }
    }

    fn file_redirect(&mut self, redirect: &Redirect, plumbing: &mut Plumbing, permanent: bool) {
        let target = self.text(&redirect.target);
        let network = target.starts_with("/dev/tcp/") || target.starts_with("/dev/udp/");
        if network {
            effects::raw_network(self, &target);
            if permanent && !redirect.fd.is_empty() {
                std::rc::Rc::make_mut(&mut self.state.network_fds).push(redirect.fd.clone());
            }
        }
        match redirect.op {
            RedirectOp::Read => {
                let data = if network {
                    Data::from_network()
                } else {
                    effects::reads(self, &target)
                };
                self.feed(plumbing, &redirect.fd, data);
            }
            RedirectOp::DuplicateIn => {
                let data = match self.files.get(&format!("/dev/fd/{target}")) {
                    Some(data) => data.clone(),
                    None if self.state.network_fds.contains(&target) => Data::from_network(),
                    None => Data::unknown(),
                };
                if target != "-" && target != "0" {
                    self.feed(plumbing, &redirect.fd, data);
                }
            }
            RedirectOp::DuplicateOut if is_descriptor(&target) => {
                plumbing.network |= self.state.network_fds.contains(&target);
            }
            _ if network => plumbing.network = true,
            op => {
                let append = op == RedirectOp::Append;
                let how = if append || op == RedirectOp::ReadWrite {
                    How::Append
                } else {
                    How::Write
                };
                let output = matches!(redirect.fd.as_str(), "" | "1") || op == RedirectOp::Both;
                effects::writes(self, &target, how);
                if output {
                    plumbing.stdout = Some((target, append));
                }
            }
        }
    }

    /// Notes what a command wrote into a file, for readers later in the same command line.
    pub(super) fn store(&mut self, target: &str, append: bool, data: Data) {
        let path = self.resolve(target, false);
        effects::attributes(self, &path, &data);
        let data = match self.files.get(&path) {
            Some(old) if append => old.clone().then(data),
            None if append && self.context.facts.entry(&path) == Entry::Missing => data,
            _ if append => {
                if let Some(text) = data.text.clone() {
                    self.added.insert(path.clone(), text);
                }
                Data { text: None, ..data }
            }
            _ => data,
        };
        // A program that is copied stays that program.
        let program = data.path.clone().filter(|path| effects::is_program(path));
        self.unfound.insert(path.clone());
        self.files.insert(
            path,
            Data {
                path: program,
                ..data
            },
        );
    }

    /// `$(< file)`.
    pub(super) fn redirected_input(&mut self, redirects: &[Redirect]) -> Data {
        let plumbing = self.plumb(redirects, false);
        if plumbing.stdout.is_some() {
            return Data::empty();
        }
        plumbing.stdin.unwrap_or_else(Data::empty)
    }
}

fn is_descriptor(target: &str) -> bool {
    let digits = target.trim_end_matches('-');
    digits.bytes().all(|byte| byte.is_ascii_digit())
}
