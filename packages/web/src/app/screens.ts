import { Globe, House, Server, Settings, Waypoints } from 'lucide-react';

/**
 * The screens of the navigation, in its order: the sidebar, the command palette and the shortcuts come from this list.
 * `key` leads to the screen after `g`.
 */
export const screens = [
  { label: 'Home', to: '/', icon: House, key: 'h' },
  { label: 'Domain Names', to: '/domains', icon: Globe, key: 'd' },
  { label: 'Client / Nodes', to: '/nodes', icon: Server, key: 'n' },
  { label: 'Services', to: '/services', icon: Waypoints, key: 's' },
  { label: 'Settings', to: '/settings', icon: Settings, key: ',' },
] as const;
