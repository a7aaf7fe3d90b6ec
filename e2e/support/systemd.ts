import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { type HostKeeper, OWN_MACHINE } from './packagedHosts.ts';
import { eventually } from './tunnelScene.ts';

const SYSTEMD = '/usr/lib/systemd/systemd';
const CGROUP2_MAGIC = 0x63_67_72_70;
const END_MAX_MS = 30_000;
const GROUP_PREFIX = 'sallyport-test-';

/** Where control groups of the second version stand; null: nowhere. */
const cgroupRoot = (): string | null =>
  ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find(
    (place) => existsSync(place) && statfsSync(place).type === CGROUP2_MAGIC,
  ) ?? null;

const ownGroup = (): string => path.join(cgroupRoot() ?? '/nonexistent', `${GROUP_PREFIX}${process.pid}`);

/** Why no systemd can run here, in a few words; null: one can. */
export function systemdProblem(): string | null {
  if (!existsSync(SYSTEMD)) return 'systemd is not installed';
  if (cgroupRoot() === null) return 'this machine has no control groups of the second version';
  const group = ownGroup();
  try {
    mkdirSync(group, { recursive: true });
    execFileSync('unshare', ['--mount', '--propagation', 'private', ...within(group), 'true'], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `this machine lets no one make control groups (${error instanceof Error ? error.message.trim() : String(error)})`;
  } finally {
    removeGroup(group);
  }
}

/** The words that run a program within a group, in namespaces of its own. A network of one's own has a /sys without control groups. */
const within = (group: string): readonly string[] => [
  'sh',
  '-c',
  'mount -t cgroup2 cgroup2 /sys/fs/cgroup && echo $$ > "/sys/fs/cgroup/$0/cgroup.procs" && exec unshare "$@"',
  path.basename(group),
  '--pid',
  '--fork',
  '--kill-child',
  '--cgroup',
  '--ipc',
  '--uts',
];

// Its units are the journal, those of the gateway's package (which is not at its place here), those of Debian that the gateway must not
// meet, and what every service stands on, which is empty: nothing else of this machine is started a second time.
// What PID 1 sets for a whole kernel is not its to set.
// A minimal Debian has no `kill` but that of its shell: procps is no part of it.
const BOOT = `${OWN_MACHINE}test ! -e /bin/kill || mount --bind /dev/null /bin/kill
mount --bind "$disk/lib" /var/lib
mount -t proc proc /proc
for path in fs kernel vm; do mount --bind /proc/sys/$path /proc/sys/$path; mount -o remount,bind,ro /proc/sys/$path; done
mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=755 tmpfs /var/log
units=/usr/lib/systemd/system
mkdir /run/units
cp $units/systemd-journald.service $units/systemd-journald.socket /run/units
for unit in nginx.service certbot.service certbot.timer; do test ! -e $units/$unit || cp $units/$unit /run/units; done
for unit in /opt/sallyport/usr/lib/systemd/system/sallyport-gateway*; do
  test ! -e $unit || sed 's#/usr/bin/sallyport-gateway#/opt/sallyport&#' $unit > /run/units/$(basename $unit)
done
mount -t tmpfs -o mode=755 tmpfs $units
mount -t tmpfs -o mode=755 tmpfs /usr/lib/systemd/system-generators
cp /run/units/* $units
for target in sysinit basic sockets timers shutdown umount final network-online multi-user default; do
  printf '[Unit]\\nDefaultDependencies=no\\n' > $units/$target.target
done
printf '[Unit]\\nDefaultDependencies=no\\nSuccessAction=exit-force\\n[Service]\\nExecStart=/bin/sleep 600\\n' > $units/limit.service
printf 'Wants=limit.service systemd-journald.service sysinit.target basic.target timers.target multi-user.target\\n' >> $units/default.target
printf '[Journal]\\nStorage=volatile\\nReadKMsg=no\\nAudit=no\\n' > /etc/systemd/journald.conf
if ! test -e /etc/started-before; then rm -rf /etc/systemd/system /etc/fstab; mkdir /etc/systemd/system; fi
touch /etc/started-before
echo ready
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin ${SYSTEMD} --system --log-target=journal --show-status=no`;

// Packages change what is below /usr for the host alone, and dpkg knows those of this machine, without the command.
const INSTALLS = `set -e
mkdir "$1/usr"
mount -t tmpfs tmpfs "$1/usr"
mkdir "$1/usr/upper" "$1/usr/work"
mount -t overlay overlay -o "lowerdir=/usr,upperdir=$1/usr/upper,workdir=$1/usr/work" /usr
cp --archive /var/lib/dpkg "$1/lib"
rm -rf /usr/bin/sallyport "$1/etc/sallyport"
`;

/**
 * A systemd that runs a host as its first process, in namespaces and a control group of its own; all of it ends with the host.
 * @param how `installs`: packages can be installed there
 */
export function systemdKeeper(how?: 'installs'): HostKeeper {
  sweepGroups();
  const group = ownGroup();
  mkdirSync(group, { recursive: true });
  return {
    script: how === 'installs' ? INSTALLS + BOOT : BOOT,
    launcher: [...within(group)],
    async inside(pid) {
      // The first process of the new namespace, which `unshare` has forked.
      const [first = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
      const entered = ['--mount', '--net', '--pid', '--cgroup', '--ipc', '--uts'];
      return ['--target', first, ...entered];
    },
    async close() {
      await eventually(
        async () => removeGroup(group),
        (isGone) => isGone,
        END_MAX_MS,
      );
    },
  };
}

/** Removes what runs left behind that were killed; what still ran in them, the sweep of their networks has ended. */
function sweepGroups(): void {
  const root = cgroupRoot() ?? '/nonexistent';
  for (const name of readdirSync(root)) {
    if (name.startsWith(GROUP_PREFIX) && !existsSync(`/proc/${name.slice(GROUP_PREFIX.length)}`)) {
      removeGroup(path.join(root, name));
    }
  }
}

/** Removes an empty control group and those below; false while something still runs in one. */
function removeGroup(group: string): boolean {
  try {
    for (const entry of readdirSync(group, { withFileTypes: true })) {
      if (entry.isDirectory() && !removeGroup(path.join(group, entry.name))) return false;
    }
    rmdirSync(group);
    return true;
  } catch {
    return !existsSync(group);
  }
}
