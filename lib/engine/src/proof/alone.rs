//! A claim's new tests by themselves: where a runner takes files, they say in a moment what the whole gate
//! says of them. What they do not say is asked of the gate.

use super::objects;
use super::prove::Trial;
use super::trial::counts;
use overnight_base::fault::Fault;
use overnight_judge::GateOutcome;
use overnight_judge::proof::narrow;

impl Trial<'_> {
    /// The commands that run these files of tests and nothing else, of each gate whose runner takes all of
    /// them. None where they are all that there is.
    pub(super) fn by_themselves(&self, files: &[String]) -> Result<Vec<String>, Fault> {
        let listed = objects::files(&self.prover.place.top, self.claim.commit)?;
        let tests = listed.keys().filter(|path| narrow::is_test(path)).count();
        if files.len() >= tests {
            return Ok(Vec::new());
        }
        let is_path = |path: &str| narrow::stands_in(&listed, path);
        let gates = self.claim.gates.iter();
        let commands = gates.filter_map(|gate| narrow::of_all(gate, files, is_path));
        Ok(commands.collect())
    }

    /// Those that pass on the claim, which stands in the room: what makes one of them red then is what was
    /// changed, and makes its gate red, too.
    pub(super) fn passing_alone(&self, files: &[String]) -> Result<Vec<String>, Fault> {
        let mut commands = self.by_themselves(files)?;
        commands.retain(|command| self.bench.passes(command));
        Ok(commands)
    }

    /// What the first of these commands that is red said.
    pub(super) fn red_alone(&self, commands: &[String]) -> Option<(GateOutcome, String)> {
        let mut ran = commands
            .iter()
            .map(|command| self.bench.run_with_output(command));
        ran.find(|(outcome, _)| !counts(outcome))
    }
}
