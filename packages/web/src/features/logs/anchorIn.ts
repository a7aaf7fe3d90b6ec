import type { LogStore } from './createLogStore.ts';
import type { RowPlaces } from './rowPlaces.ts';
import type { Following } from './useFollowing.ts';

/** Keeps what is read where it is on the screen, while lines come, go and turn out higher than believed. */
export function anchorIn(store: LogStore, following: Following, places: RowPlaces) {
  return {
    /** Call with each scroll event: remembers which line stands at the upper edge, unless the end is followed. */
    remember(panel: HTMLElement) {
      following.scrolled(panel);
      // While lines are sifted anew the list is too short, and moves the panel by itself.
      if (following.isActive() || !store.isSifted()) return;
      const { index, top } = places.first(panel);
      const line = store.rows.at(index);
      following.anchor.current = line ? { id: line.id, hiddenPx: panel.scrollTop - top } : null;
    },
    /** Brings that line back to where it stood. */
    restore(panel: HTMLElement) {
      const { current: anchor } = following.anchor;
      if (!anchor) return;
      const index = store.rows.placeOf(anchor.id);
      const hiddenPx = store.rows.at(index)?.id === anchor.id ? anchor.hiddenPx : 0;
      const top = places.topOf(panel, index) + hiddenPx;
      if (Math.abs(top - panel.scrollTop) >= 1) panel.scrollTop = top;
    },
  };
}
