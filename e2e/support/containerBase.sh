#!/bin/sh
# containerBase.sh DIRECTORY PACKAGE...: writes base.tar there, a root of what Debian calls essential, apt and these packages
# with all that they need, as far as this machine has them. It stands for the public image that the Containerfiles name: no
# registry is asked, and what is installed already is not fetched again.
set -eu
export LC_ALL=C
directory=$1
shift
cd "$directory"

dpkg-query --show --showformat '${Package} ${Essential} ${Priority} ${db:Status-Status}\n' >installed
essential=$(awk '$4 == "installed" && ($2 == "yes" || $3 == "required") { print $1 }' installed)
# shellcheck disable=SC2086
apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances \
  $essential apt ca-certificates debian-archive-keyring "$@" | sed -n 's/^\([a-z0-9][^: ]*\).*/\1/p' | sort -u >wanted
awk '$4 == "installed" { print $1 }' installed | sort -u | join - wanted >packages

mkdir -p made/etc made/var/lib/dpkg
cp /usr/share/base-passwd/passwd.master made/etc/passwd
cp /usr/share/base-passwd/group.master made/etc/group
awk -v RS= -v ORS='\n\n' 'NR == FNR { split($0, names, "\n"); for (i in names) wanted[names[i]] = 1; next }
  { split($0, lines, "\n"); sub("Package: ", "", lines[1]); if (lines[1] in wanted) print }' \
  packages /var/lib/dpkg/status >made/var/lib/dpkg/status
touch made/var/lib/dpkg/available
# /bin, /lib and /sbin are links, and their files are where these lead.
{
  xargs dpkg-query --listfiles <packages | sed 's#^/\(s\?bin\|lib[^/]*\)/#/usr/\1/#'
  find /var/lib/dpkg/info -name format
  sed 's#.*#/var/lib/dpkg/info/&.#' packages >own
  sed 's#.*#/var/lib/dpkg/info/&:#' packages >>own
  find /var/lib/dpkg/info -type f | grep --fixed-strings --file own
  for name in arch triggers alternatives updates; do
    if [ -e "/var/lib/dpkg/$name" ]; then find "/var/lib/dpkg/$name"; fi
  done
  find /etc/alternatives /etc/apt /etc/ssl/certs /etc/ld.so.cache
  find /usr/bin /usr/sbin -type l -lname '/etc/alternatives/*'
  printf '%s\n' /bin /lib /lib64 /sbin
} | sort -u | while read -r file; do
  case $file in /usr/share/doc/* | /usr/share/man/* | /usr/share/locale/*) continue ;; esac
  if [ -e "$file" ] || [ -L "$file" ]; then printf '%s\n' ".$file"; fi
done >files
tar --create --file base.tar --directory / --no-recursion --exclude ./etc/passwd --exclude ./etc/group --files-from files
tar --append --file base.tar --directory made ./etc/passwd ./etc/group ./var/lib/dpkg/status ./var/lib/dpkg/available
