import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** A drawn code in module units, quiet zone included. */
export interface Drawn {
  size: number;
  path: string;
  /** With the dark modules that were cleared for it. */
  logo?: { href: string; x: number; y: number; size: number; cleared: string } | undefined;
  /** True when the server could not load the logo and drew the plain code. */
  logoFailed?: boolean;
}

/** The preview of the specification (section 9), in CSS pixels; style sheets may enlarge other pictures. */
const PREVIEW_PX = 256;

interface Props {
  drawn: Drawn;
  /** What the picture shows, in words. */
  label: string;
}

/** The code on its white ground. Where the logo does not load, the plain code, and a sentence that says so. */
export function CodePicture({ drawn: { size, path, logo, logoFailed }, label }: Props) {
  const { t } = useTranslation();
  const hasFailed = useFailedImage(logo?.href);
  return (
    <>
      <svg
        className="code-picture"
        viewBox={`0 0 ${size} ${size}`}
        width={PREVIEW_PX}
        height={PREVIEW_PX}
        role="img"
        aria-label={label}
      >
        <rect width={size} height={size} fill="#ffffff" />
        <path d={hasFailed && logo ? path + logo.cleared : path} fill="#14203c" shapeRendering="crispEdges" />
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

/** Asks apart from the picture itself, whose own failure may come before scripts run. */
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
