//! Compound commands.

use super::ast::{Command, Word};
use super::command::identifier_length;
use super::parser::{Parser, Problem};

impl Parser<'_> {
    /// A compound command, if one starts here.
    pub(super) fn compound(&mut self) -> Result<Option<Command>, Problem> {
        self.skip_blanks();
        let rest = self.rest();
        if rest.starts_with("((") {
            return self.double_parenthesis().map(Some);
        }
        if rest.starts_with('(') {
            return self.subshell().map(Some);
        }
        let word = [
            "{", "if", "while", "until", "for", "select", "case", "function", "[[", "coproc",
        ]
        .into_iter()
        .find(|word| self.looking_at_word(word));
        let Some(word) = word else {
            return Ok(None);
        };
        self.pos += word.len();
        match word {
            "{" => {
                let body = self.list_until(&["}"])?;
                self.expect_word("}")?;
                Ok(Command::Group(Box::new(body)))
            }
            "if" => self.conditional(),
            "while" | "until" => self.looped(),
            "for" | "select" => self.counted(),
            "case" => self.case(),
            "function" => self.keyword_function(),
            "[[" => self.test(),
            _ => self.coprocess(),
        }
        .map(Some)
    }

    fn subshell(&mut self) -> Result<Command, Problem> {
        self.pos += 1;
        let body = self.list_until(&[")"])?;
        self.pos += 1;
        Ok(Command::Subshell(Box::new(body)))
    }

    fn double_parenthesis(&mut self) -> Result<Command, Problem> {
        let (start, depth) = (self.pos, self.depth);
        self.pos += 2;
        if let Some(inner) = self.arithmetic()? {
            return Ok(Command::Arithmetic(inner));
        }
        self.pos = start;
        self.depth = depth;
        self.subshell()
    }

    fn conditional(&mut self) -> Result<Command, Problem> {
        let mut parts = vec![self.list_until(&["then"])?];
        self.expect_word("then")?;
        loop {
            parts.push(self.list_until(&["elif", "else", "fi"])?);
            if self.looking_at_word("elif") {
                self.expect_word("elif")?;
                parts.push(self.list_until(&["then"])?);
                self.expect_word("then")?;
            } else if self.looking_at_word("else") {
                self.expect_word("else")?;
                parts.push(self.list_until(&["fi"])?);
                break;
            } else {
                break;
            }
        }
        self.expect_word("fi")?;
        Ok(Command::If(parts))
    }

    fn looped(&mut self) -> Result<Command, Problem> {
        let condition = Box::new(self.list_until(&["do"])?);
        let body = Box::new(self.body()?);
        Ok(Command::Loop { condition, body })
    }

    /// `do … done`.
    fn body(&mut self) -> Result<Command, Problem> {
        self.skip_newlines()?;
        if self.looking_at_word("{") {
            self.expect_word("{")?;
            let body = self.list_until(&["}"])?;
            self.expect_word("}")?;
            return Ok(body);
        }
        self.expect_word("do")?;
        let body = self.list_until(&["done"])?;
        self.expect_word("done")?;
        Ok(body)
    }

    /// `for name in …` and `for ((…))`.
    fn counted(&mut self) -> Result<Command, Problem> {
        self.skip_blanks();
        if self.rest().starts_with("((") {
            self.pos += 2;
            let head = self
                .arithmetic()?
                .ok_or(Problem::Syntax("a for loop is not closed"))?;
            self.skip_blanks();
            self.pos += usize::from(self.peek() == b';');
            let condition = Box::new(Command::Arithmetic(head));
            let body = Box::new(self.body()?);
            return Ok(Command::Loop { condition, body });
        }
        let length = identifier_length(self.rest());
        if length == 0 {
            return Err(Problem::Syntax("a for loop without a variable"));
        }
        let name = self.rest()[..length].to_owned();
        self.pos += length;
        self.skip_newlines()?;
        let words = if self.looking_at_word("in") {
            self.pos += 2;
            Some(self.words_to_line_end()?)
        } else {
            None
        };
        self.skip_blanks();
        self.pos += usize::from(self.peek() == b';');
        let body = Box::new(self.body()?);
        Ok(Command::For { name, words, body })
    }

    fn words_to_line_end(&mut self) -> Result<Vec<Word>, Problem> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            if self.at_end() || matches!(self.peek(), b';' | b'\n' | b'&' | b'|' | b')') {
                return Ok(words);
            }
            self.count()?;
            words.push(self.word()?);
        }
    }

    fn case(&mut self) -> Result<Command, Problem> {
        self.skip_newlines()?;
        let word = self.word()?;
        self.expect_word("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.looking_at_word("esac") {
                self.pos += 4;
                return Ok(Command::Case { word, arms });
            }
            if self.peek() == b'(' {
                self.pos += 1;
            }
            let mut patterns = Vec::new();
            loop {
                self.skip_blanks();
                patterns.push(self.word()?);
                self.skip_blanks();
                let separator = self.peek();
                self.pos += 1;
                match separator {
                    b'|' => {}
                    b')' => break,
                    _ => return Err(Problem::Syntax("a case pattern is not closed")),
                }
            }
            let body = self.arm()?;
            arms.push((patterns, body));
        }
    }

    /// The commands of one arm with its terminator.
    fn arm(&mut self) -> Result<Command, Problem> {
        self.skip_newlines()?;
        let body = if self.at_closer(&[";;", "esac"]) {
            Command::List(Vec::new())
        } else {
            self.list_until(&[";;", "esac"])?
        };
        for terminator in [";;&", ";;", ";&"] {
            if self.rest().starts_with(terminator) {
                self.pos += terminator.len();
                break;
            }
        }
        Ok(body)
    }

    fn keyword_function(&mut self) -> Result<Command, Problem> {
        self.skip_blanks();
        let word = self.word()?;
        let name = word
            .bare()
            .ok_or(Problem::Syntax("a function without a name"))?
            .to_owned();
        self.skip_blanks();
        if self.peek() == b'(' {
            self.pos += 1;
            self.skip_blanks();
            if self.peek() != b')' {
                return Err(Problem::Syntax("a function's parentheses"));
            }
            self.pos += 1;
        }
        self.function_body(name)
    }

    fn test(&mut self) -> Result<Command, Problem> {
        let mut words = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.at_end() {
                return Err(Problem::Syntax("a test is not closed"));
            }
            if self.looking_at_word("]]") {
                self.pos += 2;
                return Ok(Command::Test(words));
            }
            let operator = match (self.peek(), self.peek_at(1)) {
                (b'&', b'&') | (b'|', b'|') => 2,
                (b'(' | b')', _) | (b'<' | b'>', b' ') => 1,
                _ => 0,
            };
            if operator > 0 {
                self.pos += operator;
                continue;
            }
            let before = self.pos;
            self.count_word()?;
            words.push(self.test_word()?);
            if self.pos == before {
                return Err(Problem::Syntax("a test"));
            }
        }
    }

    fn coprocess(&mut self) -> Result<Command, Problem> {
        self.skip_blanks();
        let length = identifier_length(self.rest());
        let after = self.rest()[length..].trim_start();
        if length > 0 && after.starts_with(['{', '(']) {
            self.pos += length;
        }
        Ok(Command::Background(Box::new(self.command()?)))
    }
}
