import { useState } from 'react';

/** A drawn code in module units, quiet zone included. */
export interface Drawn {
  size: number;
  path: string;
  logo?: { href: string; x: number; y: number; size: number } | undefined;
}

interface Props {
  drawn: Drawn;
  /** What the picture shows, in words. */
  label: string;
}

/** The code on its white ground. A logo that does not load is left out. */
export function CodePicture({ drawn: { size, path, logo }, label }: Props) {
  const [failed, setFailed] = useState<string | null>(null);
  return (
    <svg className="code-picture" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#14203c" shapeRendering="crispEdges" />
      {logo && logo.href !== failed && (
        <image
          href={logo.href}
          x={logo.x}
          y={logo.y}
          width={logo.size}
          height={logo.size}
          onError={() => {
            console.warn('The logo could not be loaded.');
            setFailed(logo.href);
          }}
        />
      )}
    </svg>
  );
}
