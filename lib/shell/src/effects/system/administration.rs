//! Programs that administer the machine: what they show is harmless, what else they do is not.

use crate::data::Data;
use crate::effects::table::says;
use crate::effects::{Handler, effect, options};
use crate::machine::{Call, Machine};
use crate::names::one_of;
use crate::policy;

/// What programs of the network only show.
const OF_NETWORK: &str = "show list status ls get info dump link dev device general -g -i -S -k q -q version tracking \
    sources ip netcheck ping";

/// Programs with the words (verbs and options) that only show; nothing in a row means that being
/// called at all changes something.
pub(in crate::effects) const PROGRAMS: &[(&str, &str)] = &[
    (
        "reboot shutdown poweroff halt telinit init pm-suspend kexec visudo vipw useradd userdel \
         usermod adduser deluser groupadd groupdel groupmod chpasswd chsh chfn gpasswd \
         firewall-cmd insmod rmmod modprobe swapoff swapon hwclock setenforce update-grub grub-install \
         grub-mkconfig efibootmgr newgrp spctl csrutil nvram systemsetup kldload auditctl setsebool \
         apparmor_parser atrm ifup ifdown",
        "",
    ),
    ("passwd", "-S"),
    ("logrotate", "-d --debug"),
    ("ufw", "status"),
    ("ldconfig", "-p"),
    (
        "timedatectl hostnamectl loginctl route nft update-alternatives scutil dscl",
        "status show list -p --list --display -n --dns",
    ),
    // Services, devices, boot.
    (
        "update-rc.d insserv update-initramfs mkinitcpio dracut kernel-install grubby",
        "-n --dry-run",
    ),
    ("localectl", "status list-* "),
    ("networkctl", "status list lldp"),
    (
        "resolvectl systemd-resolve",
        "status query statistics --status service openpgp tlsa monitor",
    ),
    ("udevadm", "info monitor --version test verify"),
    (
        "systemd-tmpfiles systemd-sysusers",
        "--cat-config --dry-run --version",
    ),
    ("bootctl", "status list is-installed"),
    ("machinectl", "list status show list-images image-status"),
    ("systemd-nspawn homectl portablectl", "list inspect"),
    ("coredumpctl", "list info"),
    ("depmod kmod", "-n --dry-run -V list"),
    (
        "busctl gdbus",
        "list tree introspect status monitor get-property help",
    ),
    ("dbus-send qdbus", "--help --version --print-reply=literal"),
    (
        "systemd-ask-password pm-hibernate pm-suspend-hybrid gnome-session-quit cinnamon-session-quit xfce4-session-logout qdbus6",
        "--help",
    ),
    ("eject fwupdtool rtkit", "--version"),
    ("fwupdmgr", "get-* --version"),
    ("ipmitool", "status list get print sensor sdr"),
    // Network.
    ("iptables ip6tables", "-L -S --list -nL -vnL"),
    (
        "nmcli tc rfkill ethtool pmset networksetup wpa_cli iw brctl ovs-vsctl wg wg-quick tailscale bridge iwconfig \
         vconfig xset xrandr rtcwake chronyc ntpdate",
        OF_NETWORK,
    ),
    (
        "pfctl ipfw ipset ebtables arptables conntrack ipvsadm",
        "-s -sr -sa -ss list show -L -l --list -S",
    ),
    ("fail2ban-client", "status ping version get"),
    ("arp", "-a -n -e -an -v"),
    // Security modules and accounts.
    ("semanage", "-l --list"),
    (
        "chcon restorecon fixfiles aa-complain aa-enforce aa-disable aa-teardown",
        "-n -nv",
    ),
    ("chage", "-l --list"),
    (
        "newusers pwconv pwunconv grpconv groupmems pam-auth-update authselect authconfig faillock",
        "current list check show",
    ),
    ("smbpasswd pdbedit samba-tool", "-L list show testparm"),
    ("kadmin kadmin.local kdestroy kpasswd", "-q"),
    ("ldapdelete ldapmodify ldapadd ldappasswd ldapmodrdn", "-n"),
    ("exportfs", "-v -s"),
    ("quotaon quotaoff setquota edquota", "-p"),
    // Disks.
    (
        "fstrim fsfreeze swaplabel e2label xfs_admin xfs_freeze btrfstune zramctl mt mknod extundelete testdisk photorec scrub nwipe",
        "-n --dry-run --list",
    ),
    ("multipath multipathd", "-l -ll show"),
    ("iscsiadm targetcli", "-P ls"),
    (
        "snapper timeshift stratis",
        "list --list status list-configs",
    ),
    // Processes and memory of others.
    ("renice ipcrm ipcmk cgset cgdelete cgcreate", "--help"),
    ("wall write mesg talk", "--version"),
    // Settings of desktops and of macOS.
    ("gsettings", "get list-* range describe monitor"),
    ("dconf", "read list dump watch"),
    ("xdg-mime xdg-settings", "query get check --list"),
    ("defaults", "read read-type find domains export"),
    (
        "tmutil",
        "listbackups latestbackup status listlocalsnapshots destinationinfo isexcluded",
    ),
    ("xcode-select", "-p --print-path -v --version -h"),
    ("tccutil sfltool bless asr", "info"),
    (
        "locale-gen update-locale dpkg-divert debconf-set-selections update-ca-certificates trust",
        "--list list",
    ),
    (
        "nix-collect-garbage nix-channel nix-store ostree rpm-ostree",
        "--dry-run --list -q --query status db",
    ),
    // Windows, from a shell of its own.
    ("reg", "query"),
    ("wsl wsl.exe", "-l --list --status --version"),
    (
        "bcdedit diskpart cipher takeown icacls cacls vssadmin wevtutil sc wmic netsh attrib",
        "query list qc /enum",
    ),
    ("net", "view use"),
    (
        "Remove-Item Clear-Disk Format-Volume Stop-Computer Restart-Computer Clear-RecycleBin Stop-Process Set-ExecutionPolicy",
        "",
    ),
    // Telephones and boards.
    ("fastboot", "devices getvar --version"),
    (
        "avrdude dfu-util openocd st-flash picotool esptool.py esptool",
        "-l --list read_mac chip_id flash_id info version",
    ),
];

/// Words with which a program of the network changes something, whatever else it is given.
const CHANGING: &str = "add del delete change replace set up down off on modify connect disconnect block unblock \
    edit reload -s -K -m logout";

/// Settings of the person's own desktop, messages, boards: no harm, but not asked for.
const HARMLESS: &str = "gsettings dconf xdg-mime xdg-settings wall write mesg talk renice xcode-select esptool \
    esptool.py avrdude dfu-util openocd st-flash picotool";

pub(super) fn handler(name: &str) -> Option<Handler> {
    row(name).map(|_| judge as Handler)
}

fn row(name: &str) -> Option<&'static str> {
    let row = PROGRAMS.iter().find(|(names, _)| one_of(name, names));
    row.map(|(_, shows)| *shows)
}

fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let shows = row(&call.name).unwrap_or("");
    let words = options::words(args, "");
    let given = |arg: &String| arg.starts_with('-') && one_of(arg, shows);
    let reads = args.iter().any(given)
        || says(shows, &words[..words.len().min(2)])
        || options::any(args, "--help --version")
        || args.is_empty() && !shows.is_empty() && !shows.starts_with('-');
    let changes = shows == OF_NETWORK && options::any(args, CHANGING);
    if !reads || changes {
        let rule = if call.is(HARMLESS) {
            &policy::CHANGE
        } else {
            &policy::SYSTEM_STATE
        };
        effect(machine, rule, &call.name);
    }
    Data::unknown()
}
