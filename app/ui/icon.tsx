/** Paths on a 24 × 24 grid. The style sheet strokes them 2 wide, with square caps and mitred joins. */
const DRAWINGS = {
  link: 'M10 6.5 12 4.6a5.2 5.2 0 0 1 7.4 7.4l-2 2M14 17.5l-2 1.9A5.2 5.2 0 0 1 4.6 12l2-2M9 15l6-6',
  text: 'M5 6h14M5 12h14M5 18h8',
  mail: 'M3 5h18v14H3zM3.5 7l8.5 6 8.5-6',
  phone: 'M4 4h4.5l2 5L8 11a12 12 0 0 0 5 5l2-2.5 5 2V20h-2A14.5 14.5 0 0 1 4 6z',
  wifi: 'M3 9.5a13 13 0 0 1 18 0M7 13.6a7.2 7.2 0 0 1 10 0M12 18h.01',
  contact:
    'M3 5h18v14H3zM8.5 8.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM5.5 16c.5-1.4 1.6-2 3-2s2.5.6 3 2M14.5 10H18M14.5 14H18',
  event: 'M4 6h16v14H4zM4 10.5h16M8 3.5V7M16 3.5V7M8 14h.01M12 14h.01M16 14h.01M8 17h.01M12 17h.01',
  place:
    'M12 21s7-6.4 7-11.5a7 7 0 0 0-14 0C5 14.6 12 21 12 21zM12 7.5a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4z',
  app: 'M7 3h10v18H7zM12 7v6.5M9.5 11L12 13.5l2.5-2.5M11 17.5h2',
  image: 'M3 4h18v16H3zM4 17l5-5 4 4 3-3 4 4M15 8.5h.01',
  video: 'M3 6h12v12H3zM15 11l6-3v8l-6-3',
  plus: 'M12 5v14M5 12h14',
  copy: 'M9 9h11v11H9zM15 5V4H4v11h1',
  check: 'M5 12.5l4.5 4.5L19 7',
  download: 'M12 4v11M7 10.5l5 5 5-5M4 20h16',
  eye: 'M2 12s3.5-6 10-6 10 6 10 6-3.5 6-10 6-10-6-10-6zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  'eye-off':
    'M6.5 7.5C3.5 9.3 2 12 2 12s3.5 6 10 6c1.9 0 3.5-.5 4.9-1.2M10 6.2C17.5 5 22 12 22 12s-.9 1.6-2.7 3.2M4 4l16 16',
  chart: 'M4 4v16h16M9 16v-4M13.5 16V8M18 16v-6',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.5V12l3 2',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20c.8-3.5 3.5-5 8-5s7.2 1.5 8 5',
  settings: 'M4 7h7M17 7h3M4 17h3M13 17h7M12 4.5h5v5h-5zM7 14.5h5v5H7z',
  logout: 'M14 4H5v16h9M10 12h9M16 8.5l3.5 3.5-3.5 3.5',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  globe:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3.5 12h17M12 3.5c-4.5 4.5-4.5 12.5 0 17M12 3.5c4.5 4.5 4.5 12.5 0 17',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v1M12 20v1M3 12h1M20 12h1M5.6 5.6l.7.7M17.7 17.7l.7.7M18.4 5.6l-.7.7M6.3 17.7l-.7.7',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  system: 'M3 4h18v12H3zM12 16v4M8 20h8',
  'chevron-down': 'M6 9.5l6 6 6-6',
  'arrow-right': 'M4 12h15M13 6l6 6-6 6',
  'arrow-left': 'M20 12H5M11 6l-6 6 6 6',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11.5V16M12 8h.01',
  warning: 'M12 4L2.5 20h19zM12 10.5v4M12 17.5h.01',
  error: 'M8 3h8l5 5v8l-5 5H8l-5-5V8zM12 8v4.5M12 16h.01',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5L20 20',
  card: 'M2 5h20v14H2zM2 10h20M6 15h4',
  print: 'M7 8V3h10v5M7 17H3V8h18v9h-4M7 14h10v7H7z',
  code: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM15 15h.01M19 19h.01M19 15h.01M15 19h.01',
  dashboard: 'M4 4h6v9H4zM14 4h6v5h-6zM14 13h6v7h-6zM4 17h6v3H4z',
} as const;

export type IconName = keyof typeof DRAWINGS;

/** Decorative: it has no accessible name, as a text next to it says the same. */
export function Icon({ name, className }: { name: IconName; className?: string }) {
  return (
    <svg
      className={className ? `icon ${className}` : 'icon'}
      viewBox="0 0 24 24"
      width="24"
      height="24"
      aria-hidden="true"
    >
      <path d={DRAWINGS[name]} />
    </svg>
  );
}
