import { formatRelative } from '@sallyport/sdk';
import { httpServiceAttributes, type Node, tcpServiceAttributes } from '@sallyport/sdk/contract';
import type { ReactNode } from 'react';
import { RelativeTime } from '../../data/RelativeTime.tsx';
import { useNow } from '../../state/browser.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { type Fact, Facts } from '../../ui/layout/Facts.tsx';
import type { Service } from './services.ts';

/** How often times are told again. */
const TICK_MS = 60_000;

/** A value where it was given; else what that means. The forms' own words would bring their file along. */
function given(value: unknown, none: string): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'object' && value !== null) return Object.values(value).join(', ') || none;
  return typeof value === 'string' || typeof value === 'number' ? String(value) || none : none;
}

/** What the settings are called in the form; others by their name. */
const LABELS: Readonly<Record<string, string>> = {
  domain: 'Public Domain',
  pathLocation: 'Public HTTP Path',
  backendProto: 'Backend Protocol',
  proto: 'Backend Protocol',
  ssl: 'SSL Termination',
};

/** The way of a request comes first, from the visitor to the backend. */
const FIRST = ['domain', 'pathLocation', 'backendProto', 'proto', 'backendHost', 'backendPort'];

/** They stand elsewhere on the page. */
const ELSEWHERE = new Set(['name', 'allowedIps', 'blockedIps', 'requireAuth', 'skipAuthRoutes', 'tags', 'notes']);

type ServiceSettingsProps = { service: Service; node: Node | undefined; actions: ReactNode };

/** Everything else that was said about the service, as text. */
export function ServiceSettings({ service, node, actions }: ServiceSettingsProps) {
  const now = useNow(TICK_MS);
  const values: Readonly<Record<string, unknown>> = { ...service };
  const unsaid: Readonly<Record<string, string>> = {
    domain: "The gateway's own name",
    backendHost: node ? `The node itself, ${node.address}` : 'The node itself',
  };
  const attributes = 'proto' in service ? tcpServiceAttributes : httpServiceAttributes;
  const fields = [...new Set([...FIRST, ...Object.keys(attributes)])].filter(
    (field) => field in attributes && !ELSEWHERE.has(field),
  );
  const at = (label: string, moment: string): Fact[] =>
    moment ? [{ label, value: <RelativeTime at={moment}>{formatRelative(moment, now)}</RelativeTime> }] : [];
  return (
    <Card title="Settings" actions={actions}>
      <Facts
        items={[
          ...('proto' in service ? [{ label: 'Public Port', value: String(service.port) }] : []),
          ...fields.map((field) => ({
            label: LABELS[field] ?? titled(field),
            value: given(values[field], unsaid[field] ?? '–'),
          })),
          ...at('Created', service.created_at),
          ...at('Last changed', service.updated_at),
        ]}
      />
    </Card>
  );
}

/** `backendPort` as the form writes it: "Backend Port". */
const titled = (field: string) => `${field[0]?.toUpperCase()}${field.slice(1).replaceAll(/[A-Z]/g, ' $&')}`;
