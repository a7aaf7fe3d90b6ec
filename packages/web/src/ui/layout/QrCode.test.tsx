import { render, screen } from '@testing-library/react';
import { decodeQR } from 'qr/decode.js';
import { expect, it, vi } from 'vitest';
import { QrCode } from './QrCode.tsx';

const MODULE_PX = 4;

it('is read by a camera as the text that was given', () => {
  const text =
    '[Interface]\nPrivateKey = 4Jv0UzI1/9Yb=\nAddress = 10.88.0.4/32\n[Peer]\nEndpoint = vpn.example.test:51820\n';
  render(<QrCode text={text} label="Configuration of office" />);
  const svg = screen.getByRole('img', { name: 'Configuration of office' });
  const size = Number(svg.getAttribute('viewBox')?.split(' ')[2]) * MODULE_PX;
  const data = new Uint8ClampedArray(size * size * 4).fill(255);
  for (const [, x, y] of svg
    .querySelector('path')
    ?.getAttribute('d')
    ?.matchAll(/M(\d+) (\d+)h1v1h-1z/g) ?? []) {
    for (let dy = 0; dy < MODULE_PX; dy += 1) {
      const start = ((Number(y) * MODULE_PX + dy) * size + Number(x) * MODULE_PX) * 4;
      for (let dx = 0; dx < MODULE_PX; dx += 1) data.fill(0, start + dx * 4, start + dx * 4 + 3);
    }
  }
  expect(decodeQR({ width: size, height: size, data })).toBe(text);
});

it('comes into view as a whole', () => {
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
  render(<QrCode text="a" label="Configuration of office" />);
  expect(scrolled.mock.contexts).toEqual([screen.getByRole('img', { name: 'Configuration of office' })]);
});
