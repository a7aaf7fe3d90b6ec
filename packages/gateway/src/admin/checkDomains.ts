import type { DomainDns } from '@sallyport/sdk/contract';
import type { World } from '../world.ts';
import { commands } from '../start/commands.ts';
import { type Finding, fine, warning } from './finding.ts';

const WHAT = 'domains';
const AT_ONCE = 8;
/** Hundreds of domains do not make the check slow. No look-up is begun after `ms`. */
const LIMITS = { lookUps: 200, findings: 20, ms: 3000 };

/** Where the DNS leads the visitors of domains: a finding for each that does not lead here alone, as far as the limits go. */
export async function checkDomains(
  names: readonly string[],
  dns: Pick<World['dns'], 'check'>,
  limits = LIMITS,
): Promise<Finding[]> {
  if (names.length === 0) return [];
  const found: DomainDns[] = [];
  const end = performance.now() + limits.ms;
  const queue = names.slice(0, limits.lookUps).values();
  const look = async (): Promise<void> => {
    for (const name of queue) {
      if (performance.now() >= end) return;
      found.push(await dns.check(name));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));

  const here = found.filter(({ state }) => state === 'here');
  const unknown = found.filter(({ state }) => state === 'no-answer' || state === 'unknown-address');
  const away = found
    .filter((each) => !here.includes(each) && !unknown.includes(each))
    .toSorted((one, other) => one.domain.localeCompare(other.domain));
  const shown = away.slice(0, limits.findings);
  const rest = [
    unknown.length < names.length &&
      `${here.length} of ${names.length} ${names.length === 1 ? 'leads' : 'lead'} to this gateway.`,
    away.length > shown.length &&
      `${away.length - shown.length} more ${away.length - shown.length === 1 ? 'does' : 'do'} not.`,
    unknown[0] !== undefined &&
      `Where ${unknown.length} of ${names.length} ${names.length === 1 ? 'leads' : 'lead'} is not known: ${unknown[0].text}`,
    found.length < names.length &&
      `${names.length - found.length} ${names.length - found.length === 1 ? 'was' : 'were'} not looked up, so that this ends soon.`,
  ].filter((sentence) => sentence !== false);
  const isLeft = unknown.length > 0 || away.length > shown.length;
  return [
    ...shown.map((each) => warning('domain', `${each.domain}: ${each.text}`, todo(each), commands.run('check'))),
    isLeft
      ? warning(WHAT, rest.join(' '), 'See Domain Names in the console, then look again', commands.run('check'))
      : fine(WHAT, rest.join(' ')),
  ];
}

function todo({ records: [record] }: DomainDns): string {
  const again = 'then look again';
  if (record === undefined) return `Choose a public address, ${again}`;
  return `Enter at the DNS provider ${record.name} ${record.type} ${record.value}, ${again}`;
}
