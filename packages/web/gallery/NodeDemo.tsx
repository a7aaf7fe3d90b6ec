import { ArrowRight, KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { Alert } from '../src/ui/Alert.tsx';
import { Badge } from '../src/ui/Badge.tsx';
import { Breadcrumb } from '../src/ui/Breadcrumb.tsx';
import { Button } from '../src/ui/Button.tsx';
import { Card } from '../src/ui/Card.tsx';
import { EmptyState } from '../src/ui/EmptyState.tsx';
import { EnabledDot } from '../src/ui/EnabledDot.tsx';
import { Facts } from '../src/ui/Facts.tsx';
import { PageHeader } from '../src/ui/PageHeader.tsx';
import { Pagination } from '../src/ui/Pagination.tsx';
import { RowMenu } from '../src/ui/RowMenu.tsx';
import { StatusDot } from '../src/ui/StatusDot.tsx';
import { Cell, ExpandButton, HeadCell, Table, TableBody, TableHead, TableRow, TableSpan } from '../src/ui/Table.tsx';

function ServicesCard({ title }: { title: string }) {
  const [page, setPage] = useState(1);
  return (
    <Card
      title={title}
      flush
      actions={
        <Button size="sm" icon={<Plus size={14} aria-hidden />}>
          Add Service
        </Button>
      }
      footer={<Pagination label={title} page={page} limit={5} total={7} onPage={setPage} />}
    >
      <Table label={title} few>
        <TableHead>
          <HeadCell>Name</HeadCell>
          <HeadCell>Ingress</HeadCell>
          <HeadCell hidden>Actions</HeadCell>
        </TableHead>
        <TableBody>
          {['grafana', 'wiki'].map((name) => (
            <TableRow key={name} dimmed={name === 'wiki'}>
              <Cell primary>
                <span className="inline-flex items-center gap-2 font-medium">
                  <EnabledDot enabled={name !== 'wiki'} />
                  {name}
                </span>
              </Cell>
              <Cell label="Ingress">
                <a href="#node" className="link">
                  https://{name}.example.test/
                </a>
                <span className="flex items-center gap-1 text-xs text-muted">
                  Proxy <ArrowRight size={12} aria-label="to" />
                  <span className="font-mono">http://10.88.0.2:3000</span>
                </span>
              </Cell>
              <Cell actions>
                <RowMenu
                  label={`Actions of ${name}`}
                  items={[{ label: 'Info' }, { label: 'Delete Service', danger: true }]}
                />
              </Cell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Card>
  );
}

export function NodeDemo() {
  const [expanded, setExpanded] = useState(true);
  return (
    <>
      <PageHeader
        breadcrumb={
          <Breadcrumb>
            <a href="#nodes">Client / Nodes</a>
            berlin-office
          </Breadcrumb>
        }
        title="berlin-office"
        badges={
          <>
            <Badge tone="accent">Gateway</Badge>
            <StatusDot status="online" showLabel />
          </>
        }
        actions={<RowMenu label="Actions of berlin-office" items={[{ label: 'Edit Node' }, { label: 'Disconnect' }]} />}
      />
      <Alert type="warning" action={<Button size="xs">Resume</Button>}>
        Live updates have stopped.
      </Alert>
      <Card>
        <Facts
          items={[
            { label: 'IP address', value: '10.88.0.2', mono: true },
            { label: 'Subnet', value: '198.51.100.0/24', mono: true },
            { label: 'Client IP', value: '203.0.113.77', mono: true },
            { label: 'Latest Handshake', value: '12 seconds ago' },
            { label: 'Transmitted', value: '318.07 MB' },
            { label: 'Received', value: '1.42 GB' },
            { label: 'Send all internet traffic through the VPN', value: 'No' },
          ]}
        />
      </Card>
      <div className="grid gap-4 xl:grid-cols-2">
        <ServicesCard title="HTTP Services" />
        <ServicesCard title="TCP Services" />
      </div>
      <Card title="Node Access Tokens" flush actions={<Button size="sm">+ Add Token</Button>}>
        <EmptyState icon={<KeyRound size={20} aria-hidden />} title="No Access Tokens yet" />
      </Card>
      <Card title="Domains" flush>
        <Table label="Domains">
          <TableHead>
            <HeadCell>Domain</HeadCell>
            <HeadCell>SSL certs</HeadCell>
            <HeadCell>Created at</HeadCell>
          </TableHead>
          <TableBody>
            <TableRow>
              <Cell primary>
                <span className="inline-flex items-center gap-1">
                  <ExpandButton
                    label="Services of app.example.test"
                    expanded={expanded}
                    onToggle={() => setExpanded(!expanded)}
                  />
                  <a className="link-plain" href="#node">
                    app.example.test
                  </a>
                </span>
              </Cell>
              <Cell label="SSL certs">Self Signed</Cell>
              <Cell label="Created at">11/21/2026</Cell>
            </TableRow>
            {expanded ? (
              <TableSpan columns={3}>
                <div className="bg-sunken p-3">
                  <ServicesCard title="HTTP Services of app.example.test" />
                </div>
              </TableSpan>
            ) : null}
          </TableBody>
        </Table>
      </Card>
    </>
  );
}
