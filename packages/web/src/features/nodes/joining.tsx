import type { CreatedJoinKey } from '@sallyport/sdk/contract';
import { isLoopbackHost } from '@sallyport/sdk/rules';
import { Link } from '@tanstack/react-router';
import { Terminal } from 'lucide-react';
import type { ReactNode } from 'react';
import { FeatureOff, settingsGroupOf, SetUp } from '../../data/featureOff.tsx';
import { useUnavailable } from '../../data/gateway.ts';
import { useRead, useWrite } from '../../data/queries.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Command } from '../../ui/controls/Command.tsx';
import { ReadonlyField } from '../../ui/controls/ReadonlyField.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';

/** What leads a host to this gateway; what would lead it nowhere is not offered. */
type Ways = {
  /** The command that a host with the command line runs; null: no address is known that could stand in it. */
  command: string | null;
  /** Whether a line for a new host would lead here. */
  line: boolean;
  /** Whether the configuration of WireGuard would. */
  configuration: boolean;
};

/** Undefined until the gateway has said where it is. */
export function useWays(node: { allowInternet: boolean }): Ways | undefined {
  const { data: config } = useRead('system.config', {});
  const named = !useIsNameless();
  if (config === undefined) return undefined;
  const command = joinCommand(config.CONSOLE_URL, node);
  return { command, line: named && command !== null, configuration: named };
}

/** Says once, where a host should join, which setting is missing for it to find this gateway; nothing while all is well. */
export function NowhereAlert({ ways }: { ways: Ways }) {
  if (ways.command === null) {
    return (
      <Alert type="warning" title="There is no command yet">
        <Unreached>This page is open on the gateway's own machine, and</Unreached>
      </Alert>
    );
  }
  return ways.configuration ? null : <PublicNameAlert />;
}

/** @param children what is missing, up to the reason */
const Unreached = ({ children }: { children: ReactNode }) => (
  <p>
    {children} the gateway does not know by which name or address other machines reach it. Enter that under{' '}
    <Link to="/settings/$group" params={{ group: settingsGroupOf('publicName') }} className="link">
      Settings
    </Link>{' '}
    and start the gateway again.
  </p>
);

/**
 * The command by which a host joins this gateway; it asks for the token, which would else stay in the shell's history.
 * Null: this page was opened on the gateway's own machine, and nothing else is known that would lead there from another.
 * Who runs it agrees to what it says: a host sends its internet traffic through no gateway that only says so.
 * @param consoleUrl where other machines reach the gateway, as it says itself
 */
function joinCommand(consoleUrl: string | null, { allowInternet }: { allowInternet: boolean }): string | null {
  const address = isLoopbackHost(location.hostname) ? consoleUrl : location.origin;
  return address === null ? null : `sudo sallyport connect --url=${address}${allowInternet ? ' --allow-internet' : ''}`;
}

type JoinLineProps = { node: { id: number; name: string }; raised?: boolean };

/** For a host that has not got the command: one line that installs it and joins, and the code that it asks for. */
export function JoinLine({ node: { id, name }, raised = false }: JoinLineProps) {
  const { mutate, isPending, data } = useWrite('joinKey.create');
  if (data === undefined) {
    const make = () => mutate({ body: { name, nodeId: id } });
    return (
      <div>
        <Button size="sm" icon={<Terminal size={14} aria-hidden />} loading={isPending} onClick={make}>
          Show One Line for a New Host
        </Button>
      </div>
    );
  }
  return (
    <LineAndCode
      raised={raised}
      made={data}
      hint="The line asks for it, and for no token. For one host and one day; it is only visible once."
    />
  );
}

type LineAndCodeProps = { made: Pick<CreatedJoinKey, 'command' | 'code'>; hint: ReactNode; raised?: boolean };

/** The line that a host runs to join, and the code that it asks for. */
export function LineAndCode({ made: { command, code }, hint, raised = false }: LineAndCodeProps) {
  return (
    <div className="flex flex-col gap-3">
      {command === null ? (
        <Unreached>There is no line yet:</Unreached>
      ) : (
        <>
          <p className="text-sm text-muted">
            Run this line on the host, which needs curl. It installs the command, asks for the code, and joins.
          </p>
          <Command raised={raised} label="Join line" text={command} />
          <p className="text-sm text-muted">As root on a machine without sudo:</p>
          <Command raised={raised} label="The same for root" text={command.replace('| sudo sh', '| sh')} />
        </>
      )}
      <ReadonlyField label="Code" value={code} copyLabel="Copy the code" hint={hint} />
    </div>
  );
}

/** Says, where a host's configuration is shown, that it leads nowhere from another machine; nothing while all is well. */
export function PublicNameAlert() {
  if (!useIsNameless()) return null;
  return (
    <Alert type="warning" title="The host may not find this gateway">
      <FeatureOff feature="publicName" />
    </Alert>
  );
}

/** Whether hosts would look for the gateway where it is not; without a tunnel, the gateway itself says nothing of it. */
function useIsNameless(): boolean {
  const host = useRead('system.config', {}).data?.VPN_HOST ?? '';
  return useUnavailable('publicName') !== null || isLoopbackHost(host);
}

/** Says that this gateway has no tunnel now; Settings say why, and what turns it on. */
export const TunnelOffAlert = () => (
  <Alert type="warning" title="The host cannot connect: the tunnel is off" action={<SetUp feature="tunnel" />} />
);
