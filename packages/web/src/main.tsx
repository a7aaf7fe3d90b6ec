import './ui/theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import * as z from 'zod/mini';
import { App } from './App.tsx';
import { createConsole } from './createConsole.ts';
import { applyTheme } from './state/theme.ts';

// The Content-Security-Policy forbids code made from text, which zod would try.
z.config({ jitless: true });
applyTheme();

const place = document.getElementById('root');
if (!place) throw new Error('index.html has no #root');
createRoot(place).render(
  <StrictMode>
    <App {...createConsole({ baseUrl: '' })} />
  </StrictMode>,
);
