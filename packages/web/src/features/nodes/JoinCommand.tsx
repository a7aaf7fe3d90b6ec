import { useRead } from '../../data/read.ts';
import { logFailure } from '../../state/logFailure.ts';
import { Command } from '../../ui/controls/Command.tsx';
import { joinCommand } from './joinCommand.ts';

/** Shows the command by which a host joins, or says which setting is missing for there to be one. */
export function JoinCommand({ node, raised = false }: { node: { allowInternet: boolean }; raised?: boolean }) {
  const { data: config } = useRead('system.config', {});
  const text = joinCommand(config?.CONSOLE_URL ?? null, node);
  if (text === null && config === undefined) return null;
  if (text === null) {
    return (
      <p>
        There is no command yet: this page is open on the gateway's own machine, and the gateway does not know by which
        name or address other machines reach it. Set <code>SALLYPORT_VPN_HOST</code> to that and start the gateway
        again.
      </p>
    );
  }
  return <Command raised={raised} label="Join command" text={text} onCopyError={logFailure} />;
}
