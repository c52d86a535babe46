import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CodeDrawing, Look } from '~/codes/pictures/code-image';
import { useElementId } from '~/ui/element-id';

/** A drawn code in module units, quiet zone included. */
export interface Drawn {
  /** Absent for the default look. */
  look?: Look | undefined;
  size: number;
  path: string;
  /** `cleared`: the dark modules that were removed to make room for the logo. */
  logo?: { href: string; x: number; y: number; size: number; cleared: string } | undefined;
  /** True when the server could not load the logo and drew the plain code. */
  logoFailed?: boolean;
}

/** The parts of a drawing that a page needs. */
export function drawnOf({ size, path, logo, look }: CodeDrawing): Drawn {
  return look ? { size, path: '', logo, look } : { size, path, logo };
}

/**
 * Preview size in CSS pixels; style sheets may enlarge other pictures.
 */
const PREVIEW_PX = 256;

interface Props {
  drawn: Drawn;
  /** What the picture shows, in words. */
  label: string;
}

/** Draws a code; if its logo does not load, draws it without the logo and says so. */
export function CodePicture({ drawn: { size, path, logo, logoFailed, look }, label }: Props) {
  const { t } = useTranslation();
  const hasFailed = useFailedImage(logo?.href);
  const cleared = hasFailed && logo ? logo.cleared : '';
  const { x, y, width, height } = look ?? { x: 0, y: 0, width: size, height: size };
  return (
    <>
      <svg
        className="code-picture"
        viewBox={`${x} ${y} ${width} ${height}`}
        width={PREVIEW_PX}
        height={Math.round((PREVIEW_PX * height) / width)}
        role="img"
        aria-label={label}
      >
        {look ? (
          <LookLayers look={look} cleared={cleared} />
        ) : (
          <>
            <rect width={size} height={size} fill="#ffffff" />
            <path d={path + cleared} fill="#14203c" shapeRendering="crispEdges" />
          </>
        )}
        {logo && !hasFailed && (
          <image href={logo.href} x={logo.x} y={logo.y} width={logo.size} height={logo.size} />
        )}
      </svg>
      {(logoFailed || hasFailed) && (
        <p role="status" className="hint">
          {t('picture.logoFailed')}
        </p>
      )}
    </>
  );
}

/** The layers of a look, from the bottom up. If the logo has failed, restores the modules cleared for it. */
function LookLayers({ look: { layers, gradient }, cleared }: { look: Look; cleared: string }) {
  const id = useElementId();
  return (
    <>
      {gradient && (
        <linearGradient
          id={id}
          gradientUnits="userSpaceOnUse"
          x1={gradient.from.x}
          y1={gradient.from.y}
          x2={gradient.to.x}
          y2={gradient.to.y}
        >
          <stop offset="0" stopColor={gradient.from.colour} />
          <stop offset="1" stopColor={gradient.to.colour} />
        </linearGradient>
      )}
      {layers.map(({ part, path, fill, isCrisp }) => (
        <path
          key={part}
          d={part === 'modules' ? path + cleared : path}
          fill={fill ?? `url(#${id})`}
          shapeRendering={isCrisp ? 'crispEdges' : undefined}
        />
      ))}
    </>
  );
}

/** Loads the image separately, because the error event of the `<image>` element may fire before hydration. */
function useFailedImage(href: string | undefined): boolean {
  const [failed, setFailed] = useState<string>();
  useEffect(() => {
    if (href === undefined) return;
    const image = new Image();
    image.onerror = () => {
      console.warn('The logo could not be loaded.');
      setFailed(href);
    };
    image.src = href;
    return () => {
      image.onerror = null;
    };
  }, [href]);
  return href !== undefined && failed === href;
}
