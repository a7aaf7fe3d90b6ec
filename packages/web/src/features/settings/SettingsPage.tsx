import { Link, Navigate, useParams } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useTitle } from '../../state/browser.ts';
import { classes } from '../../ui/layout/classes.ts';
import { Breadcrumb, Page, PageHeader } from '../../ui/layout/Page.tsx';
import { groups, type SettingsGroup } from './groups.tsx';

/**
 * What concerns the gateway and its administrator as a whole, in groups with an address each: the list stands at the left
 * of the one that is shown. On small screens `/settings` is the list, and a group a page of its own.
 */
export function SettingsPage() {
  const { group: id } = useParams({ strict: false });
  const chosen = groups.find((one) => one.id === id);
  const shown = chosen ?? groups[0];
  useTitle(chosen === undefined ? 'Settings' : `${chosen.label} · Settings`);
  if (id !== undefined && chosen === undefined) return <Navigate to="/settings" replace />;
  return (
    <Page>
      <PageHeader
        title={chosen?.label ?? 'Settings'}
        breadcrumb={
          chosen === undefined ? null : (
            <Breadcrumb>
              <Link to="/settings">Settings</Link>
              {chosen.label}
            </Breadcrumb>
          )
        }
      />
      <div className="gap-8 lg:grid lg:grid-cols-[12.5rem_minmax(0,45rem)] lg:items-start">
        <nav
          aria-label="Groups of settings"
          className={classes('lg:sticky lg:top-16 lg:block', chosen !== undefined && 'hidden')}
        >
          <ul className="flex flex-col gap-0.5 max-lg:divide-y max-lg:divide-line max-lg:rounded-lg max-lg:border max-lg:border-line max-lg:bg-surface">
            {groups.map((group) => (
              <li key={group.id}>
                <GroupLink {...group} isShown={group === shown} />
              </li>
            ))}
          </ul>
        </nav>
        <div className={classes('min-w-0 flex-col gap-6 lg:flex', chosen === undefined ? 'hidden' : 'flex')}>
          {shown.cards()}
        </div>
      </div>
    </Page>
  );
}

function GroupLink({ id, label, about, icon: Icon, isShown }: SettingsGroup & { isShown: boolean }) {
  return (
    <Link
      to="/settings/$group"
      params={{ group: id }}
      className={classes(
        'flex min-h-11 items-center gap-3 px-3 py-2 text-sm font-medium transition-colors duration-100 hover:bg-hover lg:min-h-9 lg:rounded-sm lg:py-1',
        isShown ? 'lg:bg-accent-soft lg:text-accent-ink' : 'lg:text-muted lg:hover:text-ink',
      )}
    >
      <Icon size={18} aria-hidden className="shrink-0" />
      <span className="min-w-0 flex-1">
        {label}
        <span className="block text-xs font-normal text-muted lg:hidden">{about}</span>
      </span>
      <ChevronRight size={16} aria-hidden className="shrink-0 text-muted lg:hidden" />
    </Link>
  );
}
