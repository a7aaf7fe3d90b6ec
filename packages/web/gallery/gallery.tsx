import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { GalleryPage } from './GalleryPage.tsx';
import './gallery.css';

const root = document.querySelector('#root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <GalleryPage />
    </StrictMode>,
  );
}
