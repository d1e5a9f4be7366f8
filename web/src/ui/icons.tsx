import type { ReactNode } from 'react';

/** Lines on a grid of 24. */
const PICTURES = {
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20c0-3.5 3-6 7-6s7 2.5 7 6',
  agents: 'M12 3v3M6 6h12a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2zM9 11v2m6-2v2M9 22h6',
  ai: 'M11 4l1.800 5.200L18 11l-5.200 1.800L11 18l-1.800-5.200L4 11l5.200-1.800zM18.500 15.500v5m2.500-2.500h-5',
  audit: 'M7 3h7l5 5v13H7zM14 3v5h5M10 13h6m-6 4h4',
  billing: 'M3 6h18v12H3zM3 10h18M7 15h3',
  branch:
    'M7 4a2 2 0 1 0 0 4 2 2 0 0 0 0-4zm0 4v8m0 0a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM17 4a2 2 0 1 0 0 4 2 2 0 0 0 0-4zm0 4c0 4-3 5-10 6',
  check: 'M5 12l5 5 9-10',
  chevrons: 'M8 9l4-4 4 4M8 15l4 4 4-4',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zm0-14v5l3 2',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  databases:
    'M12 9c4 0 7-1.300 7-3s-3-3-7-3-7 1.300-7 3 3 3 7 3zM5 6v12c0 1.700 3 3 7 3s7-1.300 7-3V6M5 12c0 1.700 3 3 7 3s7-1.300 7-3',
  deploys: 'M12 3v12m0-12 4 4m-4-4L8 7M4 17v2a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-2',
  docs: 'M4 5c3-1 6-.5 8 1.500C14 4.5 17 4 20 5v14c-3-1-6-.5-8 1.500C10 18.5 7 18 4 19zM12 6.500v14',
  down: 'M6 9l6 6 6-6',
  file: 'M7 3h7l5 5v13H7zM14 3v5h5',
  folder: 'M3 6h6l2 2h10v11H3z',
  keys: 'M15 7a4 4 0 1 1-3.4 6.100L7 18H4v-3l5-5A4 4 0 0 1 15 7zm1 3h.01',
  members: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-6 9c0-3 3-5 6-5s6 2 6 5m1-16a4 4 0 0 1 0 7m2 4c2 .7 3 2.5 3 5',
  linked: 'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.700-5.700L12 7m2 3a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.700 5.700L12 17',
  menu: 'M4 7h16M4 12h16M4 17h16',
  moon: 'M20 14.500A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.500z',
  more: 'M5 12h.010M12 12h.010M19 12h.01',
  out: 'M14 4h6v6m0-6-9 9M10 5H5v14h14v-5',
  play: 'M7 4l13 8-13 8z',
  plus: 'M12 5v14M5 12h14',
  projects: 'M3 7l9-4 9 4-9 4-9-4zm0 5 9 4 9-4M3 17l9 4 9-4',
  repositories: 'M6 3v12m0 0a3 3 0 1 0 0 6 3 3 0 0 0 0-6zm12-12a3 3 0 1 0 0 6 3 3 0 0 0 0-6zm0 6c0 6-5 6-9 9',
  sandbox: 'M8 9l3 3-3 3m5 0h3M4 4h16v16H4z',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zm9 3-4.5-4.5',
  settings: 'M4 7h10m4 0h2M4 17h2m4 0h10M16 5v4M8 15v4',
  storage: 'M4 8h16v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1zM3 4h18v4H3zM10 12h4',
  stop: 'M7 7h10v10H7z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm0-13v2m0 14v2m9-9h-2M5 12H3m15.4-6.400L17 7M7 17l-1.4 1.400m12.8 0L17 17M7 7 5.6 5.6',
  system: 'M3 5h18v11H3zM9 20h6m-3-4v4',
  undo: 'M9 7H4V2m0 5a9 9 0 1 1-1 7',
  usage: 'M4 20V10m5 10V4m6 16v-8m5 8V7',
  warning: 'M12 4 2.5 20h19zM12 10v4m0 3h.01',
  webhooks: 'M12 8a3 3 0 1 0-2.6-1.500L6 13m0 0a3 3 0 1 0 3 3h7m0 0a3 3 0 1 0 2.6-4.500L14 6',
} as const;

export type IconName = keyof typeof PICTURES;

/** Decoration: what it means stands beside it, or in the label of its button. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): ReactNode {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d={PICTURES[name]} />
    </svg>
  );
}
