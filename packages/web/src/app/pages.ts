import { Globe, House, Server } from 'lucide-react';

/** The section of the sidebar titled Pages. */
export const pages = [
  { label: 'Home', to: '/', icon: House },
  { label: 'Domain Names', to: '/domains', icon: Globe },
  { label: 'Client / Nodes', to: '/nodes', icon: Server },
] as const;
