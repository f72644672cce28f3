//! Links: those on the disk and those that this very command makes.

use super::{Machine, glob};
use crate::context::Entry;
use crate::{mark, place};

/// Words that a pattern adds for the links that it may reach, at most.
const WAYS_MAX: usize = 64;

impl Machine<'_> {
    /// Where a path leads from where the shell most likely is. `delete` keeps a link at its end.
    pub(crate) fn resolve(&self, path: &str, delete: bool) -> String {
        self.resolve_from(&self.state.cwd, path, delete)
    }

    /// Where a path leads from this folder.
    pub(crate) fn resolve_from(&self, folder: &str, path: &str, delete: bool) -> String {
        place::resolve(folder, path, self.context.home, delete, |here| {
            self.link_at(here)
        })
    }

    /// The target of a link at this path, as written in it.
    pub(crate) fn link_at(&self, path: &str) -> Option<String> {
        if let Some(target) = self.links.get(path) {
            return Some(target.clone());
        }
        // What stands behind an unknown part is unknown; descriptors and processes are the shell's.
        let asked = !mark::unknown(path)
            && !["/dev", "/proc"]
                .iter()
                .any(|folder| place::inside(path, folder));
        match asked.then(|| self.context.facts.entry(path)) {
            Some(Entry::Link(target)) => Some(target),
            _ => None,
        }
    }

    /// Notes a link that this command makes. `target` as written in it.
    pub(crate) fn make_link(&mut self, path: &str, target: &str) {
        let path = self.resolve(path, true);
        self.links.insert(path, target.to_owned());
    }

    /// The words that a word with patterns becomes: itself, and each link that it reaches by name,
    /// because what is done to a link is done to where it leads.
    pub(crate) fn ways(&self, word: String) -> Vec<String> {
        let mut ways = vec![word];
        let mut at = 0;
        while let Some(way) = ways.get(at).filter(|_| at < WAYS_MAX) {
            let more = self.through_first_pattern(way);
            let room = WAYS_MAX.saturating_sub(ways.len());
            ways.extend(more.into_iter().take(room));
            at += 1;
        }
        ways
    }

    fn through_first_pattern(&self, word: &str) -> Vec<String> {
        let Some(mark) = word.find(mark::PATTERNS) else {
            return Vec::new();
        };
        let start = word[..mark].rfind('/').map_or(0, |slash| slash + 1);
        let end = word[mark..]
            .find('/')
            .map_or(word.len(), |length| mark + length);
        let (parent, rest) = (&word[..start], &word[end..]);
        let folder = self.resolve(if parent.is_empty() { "." } else { parent }, false);
        let pattern = mark::show_patterns(&word[start..end]).replace("[]", "?");
        let below = |path: &str| {
            let name = path.strip_prefix(folder.as_str())?.strip_prefix('/')?;
            (!name.contains('/')).then(|| name.to_owned())
        };
        let mut names: Vec<String> = self.links.keys().filter_map(|path| below(path)).collect();
        if !mark::unknown(&folder) {
            names.extend(self.context.facts.links(&folder));
        }
        names.retain(|name| glob::matches(&pattern, name));
        names
            .iter()
            .map(|name| format!("{parent}{name}{rest}"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Context, Decision, Entry, Facts, judge_command};

    /// Links on a disk: a folder with its links' names and targets.
    struct Disk(&'static [(&'static str, &'static str, &'static str)]);

    impl Facts for Disk {
        fn entry(&self, path: &str) -> Entry {
            let link = self
                .0
                .iter()
                .find(|(folder, name, _)| path == format!("{folder}/{name}"));
            link.map_or(Entry::Unknown, |(_, _, target)| {
                Entry::Link((*target).to_owned())
            })
        }

        fn links(&self, folder: &str) -> Vec<String> {
            let here = self.0.iter().filter(|(at, ..)| *at == folder);
            here.map(|(_, name, _)| (*name).to_owned()).collect()
        }

        fn ignored(&self, _: &str) -> Option<bool> {
            None
        }

        fn recoverable(&self, _: &str) -> Option<bool> {
            None
        }
    }

    const DISK: Disk = Disk(&[
        ("/tmp/t", "h", "/home/dev"),
        ("/tmp/t", "k", "../../home/dev/.ssh/id_rsa"),
        ("/tmp/t", "up", ".."),
        ("/tmp/t", "e", "/srv/repo/.env"),
        ("/tmp/t", "r", "/usr/bin/rm"),
        ("/srv", "repo2", "/srv/repo"),
    ]);

    fn decide(command: &str) -> Decision {
        let context = Context {
            facts: &DISK,
            ours: &["/var/lib/ours".to_owned()],
            ..Context::repository("/srv/repo", "/home/dev")
        };
        judge_command(command, &context).decision
    }

    #[test]
    fn a_work_tree_among_our_own_state_is_the_project() {
        let ours = ["/home/dev/.local/state/overnight".to_owned()];
        let root = "/home/dev/.local/state/overnight/worktrees/k/r/project";
        let context = Context {
            facts: &DISK,
            ours: &ours,
            ..Context::repository(root, "/home/dev")
        };
        let decide = |command: &str| judge_command(command, &context).decision;
        for command in [
            "echo 1 >> count.txt",
            "mkdir -p src/x && touch src/x/y",
            &format!("echo 1 > {root}/src/a.rs"),
            &format!("cp a {root}/b && mv {root}/b c"),
        ] {
            assert_eq!(decide(command), Decision::Allow, "{command}");
        }
        for command in [
            "echo 1 > ../other/count.txt",
            "echo {} > ../../../../approvals/x.json",
            "rm -rf ../../../../trust",
            "rm -rf ~/.local/state",
        ] {
            assert!(decide(command) > Decision::Allow, "{command}");
        }
    }

    #[test]
    fn links_on_the_disk_lead_to_what_they_name_wherever_they_stand() {
        for command in [
            "rm -rf /tmp/t/h/other",
            "rm -rf /tmp/t/h/",
            "rm -rf /tmp/t/*/other",
            "rm -rf /tmp/t/[gh]/other",
            "cd /tmp/t/h && rm -rf other",
            "echo x > /tmp/t/h/.bashrc",
            "echo {} > /tmp/t/h/.local/state/overnight/approvals/x.json",
            "echo {} > /var/lib/ours/approvals/x.json",
            "cat /tmp/t/k",
            "cat /tmp/t/*",
            "cat /tmp/t/e",
            "rm -rf /tmp/t/h/../x",
            "rm -rf /tmp/t/up/../etc",
            "find /tmp/t/h/ -delete",
            "find -L /tmp/t -delete",
            "mv /tmp/t/h /tmp/u && rm -rf /tmp/u/other",
            "cp -a /tmp/t/h /tmp/u && rm -rf /tmp/u/other",
            "/tmp/t/r -rf /home/dev/other",
            "rsync -a --delete x/ /tmp/t/h/other/",
            "tee /tmp/t/h/.profile < x",
            "sed -i s/a/b/ /tmp/t/h/.bashrc",
            "chmod -R 777 /tmp/t/h/",
            "truncate -s0 /tmp/t/h/notes",
            "dd if=x of=/tmp/t/h/notes",
            "tar -xf a.tar -C /tmp/t/h/.config",
        ] {
            assert!(decide(command) > Decision::Allow, "{command}");
        }
        for command in [
            "rm -rf /tmp/t/h",
            "rm -rf /tmp/t",
            "rm -f /tmp/t/*",
            "ls /tmp/t/h",
            "cat /srv/repo2/src/lib.rs",
            "echo x > /srv/repo2/notes.md",
        ] {
            assert_eq!(decide(command), Decision::Allow, "{command}");
        }
    }

    #[test]
    fn links_that_the_command_makes_lead_to_what_they_name() {
        for command in [
            "ln -s ~ /tmp/x && rm -rf /tmp/x/other",
            "ln -sfn ~ /tmp/x; rm -rf /tmp/x/other",
            "ln -sT /home/dev /tmp/x; rm -rf /tmp/x/other",
            "ln -s -t /tmp/x ~; rm -rf /tmp/x/dev/other",
            "mkdir /tmp/x; ln -s ~ /tmp/x; rm -rf /tmp/x/dev/other",
            "d=$(mktemp -d); ln -s ~ $d/h; rm -rf $d/h/other",
            "ln -s / root && rm -rf root/home/dev",
            "ln -s ../.. up && rm -rf up/home",
            "ln -s ~ a; ln -s a b; rm -rf b/other",
            "ln -s ~ a; rm -rf ?/other",
            "ln -s ~ a; mv a b; rm -rf b/other",
            "ln -s ~ a; cd a; rm -rf other",
            "ln -s ~/.ssh /tmp/s; cat /tmp/s/id_rsa",
            "ln -s .env x; cat x",
            "ln .env x; cat x",
            "ln ~/.bashrc x; echo y >> x",
            "cp -s /srv/repo/.env x; cat x",
            "cp --symbolic-link ~/.aws/credentials x; cat x",
            "cp -rs /home/dev /tmp/x; echo y >> /tmp/x/.bashrc",
            "cp -l ~/.bashrc x; echo y >> x",
            "ln -s /bin/rm x; ./x -rf ~",
            "ln -sr ../other x && rm -rf x/y",
            "ln -s ~/.local/state a; echo {} > a/overnight/approvals/x.json",
        ] {
            assert!(decide(command) > Decision::Allow, "{command}");
        }
        for command in [
            "ln -s ../shared shared",
            "ln -s src/lib.rs lib.rs && cat lib.rs",
            "ln -s /tmp/cache cache && rm -rf cache/x",
            "ln -sf ../target/debug/x bin/x",
            "cp -a src /tmp/src && rm -rf /tmp/src/x",
        ] {
            assert_eq!(decide(command), Decision::Allow, "{command}");
        }
    }
}
