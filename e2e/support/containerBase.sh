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
roots="$essential apt ca-certificates debian-archive-keyring $*"
# shellcheck disable=SC2086
apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances \
  $roots >depends
# What is installed alone is followed: the others of a choice (usrmerge) need what is here for another reason, and not all of it.
# shellcheck disable=SC2086
printf '%s\n' $roots | awk '
  function want(name, count, list, i) {
    if (!(name in installed) || name in wanted) return
    wanted[name] = 1
    count = split(needs[name], list, " ")
    for (i = 1; i <= count; i++) want(list[i])
  }
  FILENAME == "installed" { if ($4 == "installed") installed[$1] = 1; next }
  FILENAME == "depends" { sub(/:[a-z0-9]+$/, ""); if (/^[^ ]/) name = $1; else if ($1 ~ /Depends:$/) needs[name] = needs[name] " " $2; next }
  { want($1) }
  END { for (name in wanted) print name }' installed depends - | sort -u >packages

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
