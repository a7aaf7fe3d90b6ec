import { QueryClientProvider } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { BookOpen, CircleQuestionMark, CodeXml, LogOut, Mail, Search } from 'lucide-react';
import { Fragment, type ReactNode, useEffect } from 'react';
import { useConnection } from '../data/connection.ts';
import { links, OutsideLink } from '../data/links.tsx';
import { queriesOf } from '../data/queries.ts';
import { dialogs, openDialog } from '../state/dialogs.ts';
import { sidebar, useStore } from '../state/store.ts';
import { IconButton } from '../ui/controls/IconButton.tsx';
import { Keys } from '../ui/controls/Keys.tsx';
import { AppFrame, Header, Sidebar } from '../ui/layout/AppFrame.tsx';
import { lazyDialog, lazyPart } from '../ui/overlays/lazyPart.tsx';
import { Menu } from '../ui/overlays/Menu.tsx';
import { Tooltip } from '../ui/overlays/Tooltip.tsx';
import { useSignOut, useTheme } from './themeAndSession.ts';
import { ScreenLinks, useSettingsNote } from './ScreenLinks.tsx';
import { screens } from './screens.ts';
import { listenForShortcuts, paletteAria, paletteKeys } from './shortcuts.ts';

/** What stands around every screen of a signed-in administrator: the router's, unless another one is given. */
export function Shell({ children }: { children?: ReactNode }) {
  const connection = useConnection();
  const { streams } = connection;
  // A hidden window holds no connection: the browser has few, and the others want them.
  useEffect(() => {
    const follow = () => (document.visibilityState === 'hidden' ? streams.pause() : streams.resume());
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => document.removeEventListener('visibilitychange', follow);
  }, [streams]);
  useShortcuts();
  return (
    <QueryClientProvider client={queriesOf(connection)}>
      <AppFrame sidebar={<ShellSidebar />} header={<ShellHeader />}>
        {children ?? <Outlet />}
      </AppFrame>
      <DialogHost />
      <TroubleSign />
    </QueryClientProvider>
  );
}

/** What is on the screen comes first, with all that it asks for. */
const SIGN_AFTER_MS = 2000;
const TroubleSign = lazyPart(
  async () => {
    await new Promise((done) => setTimeout(done, SIGN_AFTER_MS));
    return (await import('./TroubleSign.tsx')).TroubleSign;
  },
  () => null,
);

const fetchPalette = () => import('./palette/CommandPalette.tsx');
const CommandPalette = lazyDialog(async () => (await fetchPalette()).CommandPalette);
const ShortcutsDialog = lazyDialog(async () => (await import('./palette/ShortcutsDialog.tsx')).ShortcutsDialog);
// Anyone who opens it is told when that fails.
const preparePalette = () => void fetchPalette().catch(() => undefined);
const ShellDrawer = lazyDialog(async () => (await import('./ShellDrawer.tsx')).ShellDrawer);
const openDrawer = () => void openDialog((close) => <ShellDrawer onClose={close} />);
const openHelp = () => void openDialog((close) => <ShortcutsDialog onClose={close} />);
const openPalette = () => void openDialog((close) => <CommandPalette onClose={close} onHelp={openHelp} />);

function useShortcuts(): void {
  const navigate = useNavigate();
  useEffect(() => {
    const listening = new AbortController();
    const goTo = (key: string) => {
      const screen = screens.find((one) => one.key === key);
      if (screen) void navigate({ to: screen.to });
    };
    listenForShortcuts({ prepare: preparePalette, openPalette, openHelp, goTo }, listening.signal);
    return () => listening.abort();
  }, [navigate]);
}

/** Opens the command palette; on small screens it is its icon alone. */
function PaletteButton() {
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-keyshortcuts={paletteAria}
      onPointerEnter={preparePalette}
      onFocus={preparePalette}
      onClick={openPalette}
      className="inline-flex size-9 shrink-0 items-center justify-center gap-2 rounded-sm text-sm text-muted transition-colors duration-100 hover:bg-hover hover:text-ink md:mr-2 md:h-8 md:w-68 md:justify-start md:border md:border-edge/60 md:bg-surface md:px-2.5"
    >
      <Search size={18} aria-hidden className="shrink-0 md:size-4" />
      <span className="whitespace-nowrap max-md:sr-only">Search or run a command</span>
      <span aria-hidden className="ml-auto max-md:hidden">
        <Keys keys={paletteKeys} />
      </span>
    </button>
  );
}

/** The bar on top: search, source, help, theme, sign-out. */
function ShellHeader() {
  return (
    <Header onOpenNavigation={openDrawer} note={useSettingsNote()} home={<Link to="/" />}>
      <PaletteButton />
      <Tooltip content="Source code" side="bottom" isName>
        <OutsideLink
          to={links.source}
          aria-label="Source code"
          className="inline-flex size-9 shrink-0 items-center justify-center rounded-sm text-muted transition-colors duration-100 hover:bg-hover hover:text-ink active:bg-press"
        >
          <CodeXml size={18} aria-hidden />
        </OutsideLink>
      </Tooltip>
      <Menu
        label="Need help?"
        items={[
          { label: 'Documentation', icon: <BookOpen aria-hidden />, href: links.documentation },
          { label: 'Contact us', icon: <Mail aria-hidden />, href: links.contact },
          { label: 'Keyboard shortcuts', icon: <CircleQuestionMark aria-hidden />, onSelect: openHelp },
        ]}
      >
        <IconButton label="Need help?" tooltipSide="bottom" icon={<CircleQuestionMark size={18} aria-hidden />} />
      </Menu>
      <ThemeToggle />
      <SignOutButton />
    </Header>
  );
}

/** Goes through auto, light and dark. */
function ThemeToggle() {
  const { chosen, next, icon: Icon, change } = useTheme();
  return (
    <IconButton label={`Theme: ${chosen}. Change to ${next}`} icon={<Icon size={18} aria-hidden />} onClick={change} />
  );
}

function SignOutButton() {
  const { busy, signOut } = useSignOut();
  return (
    <IconButton
      label="Sign out"
      loading={busy}
      tooltipSide="bottom"
      icon={<LogOut size={18} aria-hidden />}
      onClick={signOut}
    />
  );
}

/** The console's navigation. */
const ShellSidebar = () => (
  <Sidebar
    collapsed={useStore(sidebar) === 'collapsed'}
    onCollapsedChange={(next) => sidebar.set(next ? 'collapsed' : 'expanded')}
    home={<Link to="/" />}
  >
    <ScreenLinks />
  </Sidebar>
);

/** Draws the dialogs that are open. */
function DialogHost() {
  return useStore(dialogs).map(({ id, content }) => <Fragment key={id}>{content}</Fragment>);
}
