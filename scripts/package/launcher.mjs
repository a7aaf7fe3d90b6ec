import { NODE_FLAGS } from '../gatewayCommand.mjs';

/** The file of settings of the packaged gateway. */
export const SETTINGS = '/etc/sallyport/gateway.env';

/**
 * The command of the packaged gateway. What is in the environment already wins over the file. Without the file, which only root
 * reads, its commands would be about a gateway of the caller's own.
 */
export const LAUNCHER = `#!/bin/sh
here=$(dirname -- "$(readlink -f -- "$0")")
lib=$here/../lib/sallyport-gateway
settings=${SETTINGS}
folder=$(dirname -- "$settings")
if ! test -r "$settings"; then
  if test -e "$settings" || { test -d "$folder" && ! test -x "$folder"; }; then
    case " $* " in
    ' health '* | ' version '* | *' --version '* | *' -V '* | *' --help '* | *' -h '*) ;;
    *)
      echo "This machine's gateway runs as root. Run: sudo sallyport-gateway\${*:+ $*}" >&2
      exit 1
      ;;
    esac
  fi
  settings=/dev/null
fi
exec "$lib/node" --env-file="$settings" ${NODE_FLAGS.join(' ')} "$lib/packages/gateway/dist/main.js" "$@"
`;
