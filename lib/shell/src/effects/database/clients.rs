//! How each client of a database takes its statements, files, host and database.

/// What stands among a client's arguments without an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// A database, an address or an account.
    Database,
    /// Statements, where they have several words.
    Statements,
    /// A file with the database, then statements.
    FileAndStatements,
}

/// A client. Options are named without dashes, letters alone.
pub(super) struct Client {
    pub(super) names: &'static str,
    /// Do its long options begin with one dash?
    pub(super) one_dash: bool,
    /// Options with a value, beside those below.
    pub(super) valued: &'static str,
    /// Options that give statements.
    pub(super) statements: &'static str,
    /// Options that name a file of statements.
    pub(super) files: &'static str,
    /// Options that name the host.
    pub(super) host: &'static str,
    pub(super) operands: Operands,
    /// Options with which it changes nothing.
    pub(super) read_only: &'static str,
}

use Operands::{Database, FileAndStatements, Statements};

static OTHER: Client = Client {
    names: "",
    one_dash: false,
    valued: "U d p P D user username password port dbname database o output",
    statements: "c e q Q command execute query cmd",
    files: "f i file init init-file",
    host: "h H host server",
    operands: Database,
    read_only: "l list help V version ?",
};

static CLIENTS: &[Client] = &[
    Client {
        names: "psql usql",
        valued: "U d p P o L v F R T W username port dbname output log-file set pset field-separator",
        statements: "c command",
        host: "h host",
        ..OTHER
    },
    // `-p` asks for a password or has it attached.
    Client {
        names: "mysql mariadb mycli",
        valued: "u D P S user port database socket defaults-file",
        statements: "e execute init-command",
        files: "",
        host: "h host",
        ..OTHER
    },
    Client {
        names: "sqlite3 sqlite litecli",
        one_dash: true,
        valued: "separator nullvalue newline maxsize mmap vfs",
        statements: "cmd",
        files: "init",
        host: "",
        operands: FileAndStatements,
        read_only: "readonly help version",
    },
    Client {
        names: "duckdb",
        one_dash: true,
        valued: "separator nullvalue newline",
        statements: "c s cmd",
        files: "f init",
        operands: FileAndStatements,
        read_only: "readonly help version",
        ..OTHER
    },
    Client {
        names: "clickhouse clickhouse-client",
        statements: "q query multiquery",
        files: "queries-file",
        operands: Statements,
        ..OTHER
    },
    Client {
        names: "sqlcmd mssql-cli isql osql tsql",
        valued: "U P d o s W w",
        statements: "Q q query",
        files: "i input-file",
        host: "S H server",
        ..OTHER
    },
    Client {
        names: "cockroach cypher-shell db2 surreal rqlite influx",
        valued: "u p d a address conn ns db database",
        operands: Statements,
        ..OTHER
    },
    Client {
        names: "hive beeline spark-sql",
        valued: "n p d w hiveconf hivevar",
        host: "u h",
        ..OTHER
    },
];

/// The declaration of a client.
pub(super) fn of(name: &str) -> &'static Client {
    let listed = |client: &&Client| client.names.split(' ').any(|listed| listed == name);
    CLIENTS.iter().find(listed).unwrap_or(&OTHER)
}

impl Client {
    /// The options of a list: letters, and long ones.
    pub(super) fn options(&self) -> (String, String) {
        let all = [self.valued, self.statements, self.files, self.host].join(" ");
        let (letters, long): (Vec<_>, Vec<_>) =
            all.split_whitespace().partition(|name| name.len() == 1);
        (letters.concat(), long.join(" "))
    }

    /// The arguments with two dashes before each long option.
    pub(super) fn with_two_dashes(&self, args: &[String]) -> Vec<String> {
        let one = |arg: &str| {
            self.one_dash && arg.len() > 2 && arg.starts_with('-') && !arg.starts_with("--")
        };
        args.iter()
            .map(|arg| {
                if one(arg) {
                    format!("-{arg}")
                } else {
                    arg.clone()
                }
            })
            .collect()
    }

    /// Is its database a file?
    pub(super) fn has_file(&self) -> bool {
        self.operands == FileAndStatements
    }

    pub(super) fn takes_statements(&self) -> bool {
        matches!(self.operands, Statements | FileAndStatements)
    }
}
