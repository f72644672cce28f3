//! What calls do: one table for all languages.

use super::languages::{self, Language};
use std::collections::BTreeMap;

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// Starts the program that it is given.
    Starts,
    /// Does what this command does with the paths that it is given.
    Does(&'static str),
    /// Writes the path that it is given first.
    Writes,
    /// Changes the path that it is given first.
    Changes,
    /// Opens the path that it is given first, to read or to write.
    Opens,
    /// Runs text as code of its own language.
    Evaluates,
    /// Starts the process once more.
    Forks,
    /// Goes to the folder that it is given first.
    Goes,
    /// Connects to a database as this client would.
    Connects(&'static str),
    /// Reaches the network.
    Sends,
    /// Speaks to a service of others, whatever its address.
    Serves,
    /// Prints.
    Says,
    /// Can do anything, and nobody follows it.
    Hides,
}

use Act::{
    Changes, Connects, Does, Evaluates, Forks, Goes, Hides, Opens, Says, Sends, Serves, Starts,
    Writes,
};

/// Families of languages (none: all), what their calls do, and the calls: `.member`, `~name` however it is reached.
static CALLS: &[(&str, Act, &str)] = &[
    (
        "python",
        Starts,
        "os.system os.popen os.execvp os.spawnvp os.posix_spawn os.posix_spawnp os.startfile pty.spawn subprocess.run \
         subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen subprocess.getoutput \
         subprocess.getstatusoutput commands.getoutput commands.getstatusoutput asyncio.create_subprocess_shell \
         asyncio.create_subprocess_exec pexpect.run pexpect.spawn invoke.run session.run c.run ctx.run system popen Popen check_call check_output \
         getoutput",
    ),
    (
        "node",
        Starts,
        "child_process.exec child_process.execFile child_process.spawn ~execSync ~spawnSync ~execFileSync ~execFile \
         ~execa ~execaSync ~execaCommand Deno.Command Deno.run Bun.spawn Bun.$ bun.$ $ shelljs.exec shell.exec zx.$",
    ),
    (
        "ruby",
        Starts,
        "system exec spawn sh Kernel.system Kernel.exec Kernel.spawn Process.spawn Process.exec IO.popen Open3.capture2 \
         Open3.capture2e Open3.capture3 Open3.popen2 Open3.popen2e Open3.popen3 Open3.pipeline PTY.spawn",
    ),
    ("perl", Starts, "system exec readpipe open2 open3 shell"),
    (
        "php",
        Starts,
        "system exec shell_exec passthru proc_open popen pcntl_exec",
    ),
    (
        "lua",
        Starts,
        "os.execute io.popen vim.fn.system vim.fn.jobstart",
    ),
    ("r", Starts, "system system2 shell processx.run sys.run"),
    ("julia", Starts, "run pipeline"),
    (
        "lisp",
        Starts,
        "system system* process* shell sh shell-command call-process start-process make-process async-shell-command \
         process-file open-pipe open-input-pipe uiop:run-program uiop:launch-program sb-ext:run-program run-program \
         subprocess clojure.java.shell/sh babashka.process/shell",
    ),
    (
        "elixir erlang",
        Starts,
        "System.cmd System.shell os.cmd Port.open open_port",
    ),
    (
        "functional",
        Starts,
        "~callCommand ~callProcess ~readProcess ~readCreateProcess ~spawnCommand ~rawSystem ~system Sys.command",
    ),
    (
        "compiled",
        Starts,
        ".execute ~ProcessBuilder ~exec Command.new exec.Command exec.CommandContext os.StartProcess syscall.Exec \
         ~system ~popen ~execvp Process.run Process.Start",
    ),
    ("script", Starts, "script"),
    (
        "",
        Does("rm -rf"),
        "~rmtree ~rmSync ~rmdirSync ~rimraf ~rimrafSync ~removeSync ~emptyDir ~emptyDirSync ~rm_rf ~rm_r ~remove_tree \
         ~remove_dir ~remove_entry ~remove_entry_secure ~remove_dir_all ~RemoveAll ~del_dir_r ~deleteRecursively \
         ~deleteDir ~removeDirectoryRecursive ~removePathForcibly ~delete-directory ~delete-directory/files \
         ~delete-directory-and-files fs.rm fs.rmdir fs.remove fse.remove fs.promises.rm fsPromises.rm \
         promises.rm vim.fn.delete FileUtils.rm FileUtils.remove FileUtils.remove_file Deno.remove Deno.removeSync",
    ),
    (
        "r",
        Does("rm -rf"),
        "unlink file.remove fs.dir_delete fs.file_delete",
    ),
    ("julia", Does("rm -rf"), "~rm"),
    (
        "compiled",
        Does("rm -rf"),
        ".delete .deleteDir .deleteRecursively ~removeItem ~deleteIfExists FileUtils.deleteDirectory Files.delete \
         Directory.Delete File.Delete unlink remove ~rmdirRecurse ~deleteTree ~deleteTreeAbsolute ~deleteFileAbsolute",
    ),
    (
        "",
        Does("rm"),
        "os.remove os.unlink ~unlinkSync fs.unlink fs.promises.unlink fsPromises.unlink promises.unlink File.delete \
         File.unlink os.Remove ~removeFile ~delete-file File.rm file.delete fs.remove_file",
    ),
    ("python ruby", Does("rm"), ".unlink"),
    ("perl php", Does("rm"), "unlink"),
    (
        "",
        Does("rmdir"),
        "os.rmdir os.removedirs Dir.rmdir Dir.delete Dir.unlink ~removeDirectory",
    ),
    ("python", Does("rmdir"), ".rmdir"),
    ("perl php", Does("rmdir"), "rmdir"),
    ("perl", Does("truncate -s 0"), "truncate"),
    ("php", Does("printenv"), "phpinfo"),
    (
        "",
        Does("mv"),
        "os.rename os.replace os.renames shutil.move ~renameSync fs.rename fs.promises.rename fsPromises.rename \
         File.rename FileUtils.mv FileUtils.move os.Rename Deno.rename",
    ),
    ("perl php", Does("mv"), "rename move"),
    (
        "",
        Does("cp"),
        "shutil.copy shutil.copy2 shutil.copyfile shutil.copytree ~copyFileSync fs.copyFile fs.promises.copyFile \
         ~cpSync ~copySync FileUtils.cp FileUtils.cp_r fs.cp fs.copy",
    ),
    ("php", Does("cp"), "copy"),
    (
        "",
        Does("ln -s"),
        "os.symlink ~symlinkSync fs.symlink File.symlink FileUtils.ln_s os.Symlink",
    ),
    ("perl php", Does("ln -s"), "symlink"),
    (
        "",
        Does("ln"),
        "os.link ~linkSync fs.link File.link os.Link",
    ),
    (
        "",
        Does("truncate -s 0"),
        "os.truncate ~truncateSync File.truncate",
    ),
    (
        "",
        Does("kill"),
        "os.kill os.killpg process.kill Process.kill posix_kill",
    ),
    ("perl", Does("kill"), "kill"),
    (
        "",
        Does("cat"),
        "~readFileSync fs.readFile fs.promises.readFile .read_text .read_bytes File.read IO.read File.readlines \
         io.lines file_get_contents readfile os.ReadFile Deno.readTextFile",
    ),
    (
        "",
        Writes,
        "~writeFileSync ~createWriteStream ~writeFile .write_text .write_bytes File.write IO.write file_put_contents \
         Deno.writeTextFile Deno.writeTextFileSync Bun.write os.WriteFile ioutil.WriteFile fs.write",
    ),
    ("python", Writes, "~extractall shutil.unpack_archive"),
    (
        "",
        Changes,
        "~appendFileSync ~appendFile os.chmod ~chmodSync os.chown ~chownSync fs.chmod File.chmod FileUtils.chmod \
         FileUtils.touch",
    ),
    ("python", Changes, ".chmod .touch .rename"),
    (
        "",
        Opens,
        "open io.open fopen File.open File.new IO.open codecs.open os.open gzip.open bz2.open ~openSync io.FileIO",
    ),
    ("python", Opens, ".open"),
    ("", Evaluates, "eval"),
    (
        "python",
        Evaluates,
        "exec builtins.exec builtins.eval execfile code.interact",
    ),
    (
        "node",
        Evaluates,
        "vm.runInNewContext vm.runInThisContext ~runInContext ~runInThisContext ~runInNewContext",
    ),
    (
        "ruby",
        Evaluates,
        "~instance_eval ~class_eval ~module_eval ~send ~__send__ ~public_send ~method",
    ),
    (
        "php",
        Evaluates,
        "assert create_function call_user_func call_user_func_array array_map array_walk",
    ),
    ("lua", Evaluates, "load loadstring"),
    (
        "",
        Forks,
        "os.fork fork Process.fork Kernel.fork pcntl_fork child_process.fork",
    ),
    (
        "python",
        Sends,
        "~urlopen ~urlretrieve requests.get requests.post requests.put requests.patch requests.delete requests.head \
         requests.request requests.Session httpx.get httpx.post httpx.put httpx.patch httpx.delete httpx.request \
         httpx.stream httpx.Client httpx.AsyncClient aiohttp.ClientSession aiohttp.request http.client.HTTPConnection \
         http.client.HTTPSConnection ~HTTPSConnection socket.socket ~create_connection paramiko.Transport \
         telnetlib.Telnet redis.Redis redis.from_url ~MongoClient",
    ),
    (
        "node",
        Sends,
        "fetch globalThis.fetch http.get https.get http.request https.request axios axios.get axios.post axios.put \
         axios.request got got.post net.connect net.Socket net.createConnection tls.connect XMLHttpRequest WebSocket ~MongoClient",
    ),
    (
        "ruby",
        Sends,
        "Net.HTTP.get Net.HTTP.get_response Net.HTTP.post Net.HTTP.start Net.HTTP.new Net.HTTP.post_form URI.open \
         OpenURI.open_uri TCPSocket.new TCPSocket.open HTTParty.get HTTParty.post Faraday.new Faraday.get Faraday.post",
    ),
    (
        "perl",
        Sends,
        "LWP.UserAgent LWP.UserAgent.new IO.Socket.INET IO.Socket.INET.new IO.Socket.SSL IO.Socket.SSL.new HTTP.Tiny \
         HTTP.Tiny.new get getstore getprint socket",
    ),
    (
        "php lua",
        Sends,
        "curl_init curl_exec fsockopen stream_socket_client socket.connect socket.tcp socket.http.request http.request",
    ),
    (
        "compiled",
        Sends,
        "http.Get http.Post http.NewRequest net.Dial tls.Dial TcpStream.connect",
    ),
    (
        "",
        Says,
        "print println printf puts p pp echo say print_r var_dump console.log console.error console.info console.warn \
         console.table sys.stdout.write sys.stderr.write process.stdout.write io.write logging.info logger.info log \
         assert assertEqual assertIn IO.puts IO.inspect display displayln format cat ~pprint fwrite fputs var_export json.dump \
         .print .puts .log .write .communicate",
    ),
    (
        "node",
        Says,
        "css html sql gql graphql String.raw dedent outdent md i18n t svg keyframes injectGlobal",
    ),
    (
        "",
        Goes,
        "os.chdir cd chdir process.chdir Dir.chdir FileUtils.cd Deno.chdir os.Chdir File.cd setwd",
    ),
    (
        "",
        Connects("sqlite3"),
        "sqlite3.connect apsw.Connection aiosqlite.connect SQLite3.Database.new better-sqlite3 ~DatabaseSync sqlite3.Database Database \
         SQLite3 sqlite.open",
    ),
    (
        "",
        Connects("psql"),
        "psycopg2.connect psycopg.connect asyncpg.connect ~create_engine PG.connect ~postgres pg.Client pg.Pool Client \
         Pool PDO DBI.connect .connect_dbi",
    ),
    (
        "",
        Connects("mysql"),
        "pymysql.connect MySQLdb.connect mysql.connector.connect ~createConnection ~createPool Mysql2.Client.new mysqli",
    ),
    (
        "",
        Serves,
        "boto3.client boto3.resource boto3.Session ~Octokit github.Github storage.Client bigquery.Client ~S3Client \
         ~EC2Client ~DynamoDBClient Aws.S3.Client.new config.load_kube_config stripe.api_key ~BlobServiceClient \
         smtplib.SMTP smtplib.SMTP_SSL ftplib.FTP ftplib.FTP_TLS paramiko.SSHClient",
    ),
    (
        "python",
        Hides,
        "ctypes.CDLL ctypes.cdll.LoadLibrary ctypes.util.find_library sh plumbum __import__ importlib.import_module",
    ),
    (
        "node",
        Hides,
        "Function ~binding ~_linkedBinding ~linkedBinding ~dlopen",
    ),
    ("perl ruby", Hides, "syscall Fiddle.dlopen"),
    ("php", Hides, "FFI.cdef dl"),
];

/// The calls of one language, by the last part of their names.
pub(super) struct Calls(BTreeMap<&'static str, Vec<(&'static str, Act)>>, bool);

impl Calls {
    pub(super) fn of(language: &Language) -> Self {
        let mut calls: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let fits = |families: &str| {
            families.is_empty() || families.split(' ').any(|family| family == language.family)
        };
        for (_, act, names) in CALLS.iter().filter(|(families, ..)| fits(families)) {
            for name in names.split_whitespace() {
                let last = name
                    .rsplit('.')
                    .next()
                    .unwrap_or(name)
                    .trim_start_matches('~');
                calls.entry(last).or_default().push((name, *act));
            }
        }
        Self(calls, language.family == "compiled")
    }

    /// What a call of this name does, and whether it acts on what it is a member of.
    pub(super) fn act(&self, name: &str) -> Option<(Act, bool)> {
        let last = name.rsplit('.').next()?;
        if let Some(family) = languages::family(last) {
            let before = &name[..name.len() - last.len()];
            return self.act(&format!("{before}{family}"));
        }
        let fits = |listed: &str| match listed.as_bytes().first() {
            Some(b'~') => true,
            Some(b'.') => name.contains('.'),
            _ => name.strip_suffix(listed).is_some_and(|before| {
                before.is_empty() || listed.contains('.') && before.ends_with('.')
            }),
        };
        let listed = self.0.get(last).or_else(|| self.folded(last))?;
        // Of two that fit, the one that names more of it.
        let (listed, act) = listed
            .iter()
            .filter(|(listed, _)| fits(listed))
            .max_by_key(|(listed, _)| listed.len() - usize::from(listed.starts_with(['.', '~'])))?;
        Some((*act, listed.starts_with('.')))
    }

    /// Languages that are compiled spell the same calls in their own ways: `remove_all`, `RemoveAll`.
    fn folded(&self, last: &str) -> Option<&Vec<(&'static str, Act)>> {
        let fold = |name: &str| name.replace('_', "").to_ascii_lowercase();
        let name = self.1.then(|| fold(last))?;
        let mut listed = self.0.iter().filter(|(listed, _)| fold(listed) == name);
        let acts = |(listed, act): &(&str, Act)| matches!(act, Does(_)) && !listed.starts_with('.');
        listed.find_map(|(_, calls)| calls.iter().all(acts).then_some(calls))
    }

    /// The calls of a module, with their own names.
    pub(super) fn of_module(&self, module: &str) -> Vec<(String, String)> {
        let listed = self.0.values().flatten().filter_map(|(listed, _)| {
            let member = listed.strip_prefix(module)?.strip_prefix('.')?;
            Some((member.to_owned(), (*listed).to_owned()))
        });
        listed.collect()
    }

    /// Is it a module of such calls?
    pub(super) fn is_module(&self, name: &str) -> bool {
        let of = |listed: &str| {
            listed
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with('.'))
        };
        self.0
            .values()
            .flatten()
            .any(|(listed, act)| !matches!(act, Says | Sends | Opens) && of(listed))
    }
}

/// What an expression gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    /// The home folder.
    Home,
    /// What it is given.
    Same,
    /// Its arguments as one path.
    Joined,
    /// What a pattern finds.
    Found,
    /// What is in a folder.
    Below,
    /// A text whose gaps are filled by what follows it.
    Filled,
    /// The words of a text.
    Words,
    /// A variable of the environment.
    Variable,
    /// A temporary file or folder of its own.
    Own,
    /// The folder of temporary files.
    Temporary,
    /// The working folder.
    Here,
    /// The program that runs the code.
    Itself,
}

static VALUES: &[(Gives, &str)] = &[
    (
        Gives::Home,
        "Path.home pathlib.Path.home os.homedir homedir Dir.home os.UserHomeDir NSHomeDirectory user-homedir-pathname \
         find-system-path System.user_home ~home_dir",
    ),
    (
        Gives::Same,
        "str bytes list tuple sorted set reversed iter Path PurePath pathlib.Path pathlib.PurePath os.fspath \
         os.path.abspath os.path.realpath os.path.normpath os.path.expanduser os.path.expandvars expanduser Array \
         Array.from File.expand_path File.absolute_path File.realpath Pathname Pathname.new File File.new URI URI.parse \
         URL shlex.quote shlex.join String .strip .rstrip .lstrip .trim .as_posix .resolve .absolute .expanduser .to_s \
         .toString .encode .decode .to_path .chomp .read .text .json .body .toPath .toFile .get .data shescape \
         escapeshellarg .unwrap .expect .clone .to_owned .to_string .as_str .as_ref compile",
    ),
    (
        Gives::Joined,
        "os.path.join path.join path.resolve path.posix.join File.join filepath.Join Path.join file.path joinpath \
         .joinpath build-path",
    ),
    (
        Gives::Found,
        "glob.glob glob.iglob glob Dir.glob Dir filepath.Glob globSync fg.sync Sys.glob",
    ),
    (
        Gives::Below,
        "os.listdir os.scandir os.walk ~readdirSync fs.readdir .iterdir .glob .rglob .children .entries Dir.children \
         Dir.entries Dir.each_child list.files readdir",
    ),
    (Gives::Filled, "format fmt.Sprintf String.format sprintf"),
    (
        Gives::Itself,
        "sys.executable process.execPath Deno.execPath RbConfig.ruby Gem.ruby",
    ),
    (
        Gives::Words,
        "shlex.split .split .shellsplit Shellwords.split",
    ),
    (
        Gives::Variable,
        "os.getenv getenv os.environ.get ENV.fetch Sys.getenv System.get_env System.getenv os.Getenv Deno.env.get env.var env.var_os env.vars \
         os.Environ System.getProperty",
    ),
    (
        Gives::Own,
        "tempfile.mkdtemp tempfile.mkstemp tempfile.TemporaryDirectory tempfile.NamedTemporaryFile ~mkdtempSync ~mkdtemp \
         Dir.mktmpdir Tempfile.new Tempfile.create tempdir tempfile os.MkdirTemp mktempdir mktemp",
    ),
    (
        Gives::Temporary,
        "os.tmpdir tempfile.gettempdir Dir.tmpdir os.TempDir sys_get_temp_dir",
    ),
    (
        Gives::Here,
        "os.getcwd process.cwd Dir.pwd Path.cwd pathlib.Path.cwd getcwd os.Getwd pwd",
    ),
];

/// What an expression of this name gives.
pub(super) fn gives(name: &str) -> Option<Gives> {
    let fits = |listed: &str| {
        let bare = listed.trim_start_matches('~');
        name == listed
            || name.strip_suffix(bare).is_some_and(|before| {
                before.ends_with('.') && bare.contains('.') && !bare.starts_with('.')
            })
            || listed != bare && name.rsplit('.').next() == Some(bare)
    };
    let found = VALUES
        .iter()
        .find(|(_, names)| names.split_whitespace().any(fits))?;
    Some(found.0)
}
