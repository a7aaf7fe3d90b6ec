import { isApiError } from '@sallyport/sdk';
import { pinOf } from '../certificatePin.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { givenToken, refuseExposed, trustedPin } from './credentials.ts';
import type { Host } from './host.ts';
import { DEFAULT_INTERFACE, isGatewayAt, keptConsent, NOTHING_AGREED } from './hostConfig.ts';

/** What a host is told about the node that it is, at each start. */
type NodeFlags = { tokenStdin?: boolean | undefined; tokenFile?: string | undefined; pin?: string | undefined };

/**
 * Makes this host the node of a token, unless it is already: the gateway is asked who it is when something of it is new, and
 * the configuration is written. What connects the host follows that.
 */
export async function becomeNode(context: Context, host: Host, given: NodeFlags): Promise<void> {
  const url = context.givenUrl();
  if (url === undefined) throw new Failure('usage', 'A token belongs to a gateway.', 'Name it with --url.');
  refuseExposed(url, false);
  const before = host.file.read();
  const token = await givenToken(context, given);
  const known = isGatewayAt(before, url) ? before : undefined;
  const same = known?.token.reveal() === token.reveal() ? known : undefined;
  if (same && (given.pin === undefined || pinOf(given.pin) === same.pin)) return;
  host.file.prepare();
  try {
    const pin = await trustedPin(context, { url, pin: given.pin, before });
    const consent = known ? keptConsent(host.consent(known)) : NOTHING_AGREED;
    const connected = same?.connected ?? true;
    host.file.write({ url, token, pin, interface: before?.interface ?? DEFAULT_INTERFACE, connected, ...consent });
  } catch (error) {
    // It is a node already, and a gateway that is away for a moment changes nothing about that.
    if (!same || !isApiError(error, 'unreachable')) throw error;
  }
}
