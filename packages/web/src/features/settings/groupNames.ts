import {
  Clock,
  Info,
  KeyRound,
  type LucideIcon,
  Palette,
  Server,
  ShieldCheck,
  ToggleRight,
  UserRound,
} from 'lucide-react';

/** What a group of settings is called. */
export type GroupName = {
  /** In the address: `/settings/features`. */
  id: string;
  label: string;
  /** What is in it, for the list on a phone. */
  about: string;
  icon: LucideIcon;
};

/** The groups by name; `groups` has what is in them, which is much more. */
export const groupNames = {
  gateway: { id: 'gateway', label: 'Gateway', about: 'Public address, ports, tunnel, backup', icon: Server },
  features: { id: 'features', label: 'Features', about: 'What runs, and what turns on the rest', icon: ToggleRight },
  certificates: {
    id: 'certificates',
    label: 'Certificates',
    about: 'The certificate authority of your domains',
    icon: ShieldCheck,
  },
  'sign-in': { id: 'sign-in', label: 'Sign-in', about: 'The identity provider of your visitors', icon: UserRound },
  limits: {
    id: 'limits',
    label: 'Limits and retention',
    about: 'What nodes may use, and how long logs are kept',
    icon: Clock,
  },
  sessions: {
    id: 'sessions',
    label: 'Sessions and tokens',
    about: 'API tokens, where you are signed in, password',
    icon: KeyRound,
  },
  appearance: { id: 'appearance', label: 'Appearance', about: 'Theme, sidebar, shortcuts', icon: Palette },
  about: { id: 'about', label: 'About', about: 'Version, documentation, source code', icon: Info },
} as const satisfies Record<string, GroupName>;
