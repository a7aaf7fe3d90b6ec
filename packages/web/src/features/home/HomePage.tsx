import { Box, CirclePlus, Heart, LifeBuoy, Terminal } from 'lucide-react';
import type { ReactNode } from 'react';
import { links, OutsideLink, OutsideLinks } from '../../data/links.tsx';
import { useRead } from '../../data/queries.ts';
import { useTitle } from '../../state/browser.ts';
import { Button, buttonClass } from '../../ui/controls/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { Page, PageHeader } from '../../ui/layout/Page.tsx';
import { FirstRun, type FirstRunActions } from './FirstRun.tsx';
import { useFirstSteps } from './firstSteps.tsx';

type HomePageProps = FirstRunActions & {
  /** Opens the node form and then goes to the nodes. */
  onCreateNode: () => void;
};

/** The first steps until they are done, what the product is, and where to begin. */
export function HomePage({ onCreateNode, ...firstSteps }: HomePageProps) {
  useTitle('Home');
  // The local node is always there.
  const isFirst = useRead('node.list', { query: { limit: 1 } }).data?.total === 1;
  const steps = useFirstSteps();
  return (
    <Page>
      <PageHeader
        title="Welcome to Sallyport"
        description="Reach services inside private networks from outside, through a tunnel that only opens from the inside."
        actions={
          // Until then it is one of the first steps.
          steps?.some(({ name, done }) => name === 'service' && !done) ? null : (
            <Button variant={steps === null ? 'info' : 'default'} onClick={firstSteps.onExpose}>
              Expose Service
            </Button>
          )
        }
      />
      {steps === null ? null : (
        <>
          <FirstRun {...firstSteps} steps={steps} />
          <h2 className="mt-2 text-lg font-semibold tracking-tight">Get started</h2>
        </>
      )}
      <ul className="grid list-disc gap-1 pl-5">
        <li>No open ports in the private network: the node dials out, the gateway lets visitors in.</li>
        <li>Nodes run on Docker, Kubernetes, a Raspberry Pi, or any Linux host.</li>
        <li>Every domain has a certificate from the start.</li>
      </ul>
      <div className="grid gap-4 md:grid-cols-3">
        <Card
          title={
            <Titled
              icon={<CirclePlus size={18} aria-hidden />}
              text={isFirst ? 'Create Your First Node' : 'Create Node'}
            />
          }
        >
          <Offer text="A node is a host that dials out to this gateway, alone or for a whole subnet.">
            <Button aria-keyshortcuts="c" onClick={onCreateNode}>
              Create Node
            </Button>
          </Offer>
        </Card>
        <Card title={<Titled icon={<Terminal size={18} aria-hidden />} text="Install the CLI" />}>
          <Offer text="Join hosts and expose services from a terminal.">
            <OutsideLink to={links.cli} className={buttonClass()}>
              CLI Docs
            </OutsideLink>
          </Offer>
        </Card>
        <Card title={<Titled icon={<Box size={18} aria-hidden />} text="Gateway Deployments" />}>
          <OutsideLinks
            className="flex flex-col gap-1.5"
            of={[
              { text: 'Docker Gateway', to: links.dockerGateway },
              { text: 'Kubernetes Node', to: links.kubernetesGateway },
              { text: 'Home Assistant Add-On', to: links.homeAssistant },
            ]}
          />
        </Card>
      </div>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        <OutsideLink to={links.documentation} className="link">
          <Titled icon={<LifeBuoy size={16} aria-hidden />} text="Documentation" />
        </OutsideLink>
        <OutsideLink to={links.sponsor} className="link">
          <Titled icon={<Heart size={16} aria-hidden />} text="Sponsor the project" />
        </OutsideLink>
      </div>
    </Page>
  );
}

/** A sentence and a button below it; the buttons of cards side by side stand on one line. */
function Offer({ text, children }: { text: string; children: ReactNode }) {
  return (
    <div className="flex h-full flex-col items-start justify-between gap-3">
      <p className="text-muted">{text}</p>
      {children}
    </div>
  );
}

function Titled({ icon, text }: { icon: ReactNode; text: string }) {
  return (
    <span className="inline-flex items-center gap-2">
      {icon}
      {text}
    </span>
  );
}
