import { Link } from '@remix-run/react';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocale } from '~/i18n/use-locale';
import { buttonClass } from '~/ui/button';
import { Icon } from '~/ui/icon';
import { ModuleDigits, ModulePicture } from '~/ui/module-art';

/** The headline, and the form to try the product. */
export function Hero({ children }: { children: ReactNode }) {
  const { t } = useTranslation('home');
  const section = useRef<HTMLElement>(null);
  useHeroField(section);
  return (
    <section ref={section} className="hero band">
      <h1>
        {t('hero.before')}
        <em>{t('hero.accent')}</em>
        {t('hero.after')}
      </h1>
      <p className="lead">{t('hero.lead')}</p>
      {children}
    </section>
  );
}

const STEPS = ['enter', 'customize', 'download', 'share'] as const;

export function Steps() {
  const { t } = useTranslation('home');
  return (
    <section id="how" className="steps band">
      <h2>{t('steps.title')}</h2>
      <ol>
        {STEPS.map((step, position) => (
          <li key={step}>
            <ModuleDigits value={String(position + 1)} />
            <h3>{t(`steps.${step}.title`)}</h3>
            <p>{t(`steps.${step}.text`)}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}

const LOOKS = ['terrace', 'dots', 'vine', 'night-shop', 'poster', 'wedding'] as const;

/** Some of the ready-made looks, which the form offers. */
export function Looks() {
  const { t } = useTranslation('home');
  const locale = useLocale();
  return (
    <section className="looks band">
      <h2>{t('looks.title')}</h2>
      <p className="lead">{t('looks.text')}</p>
      <div className="looks__pictures">
        {LOOKS.map((name) => (
          <img
            key={name}
            src={`/looks/ready-made.svg?lng=${locale}#${name}`}
            alt=""
            width={160}
            height={160}
            loading="lazy"
          />
        ))}
      </div>
    </section>
  );
}

// Heart, check mark, page, bars, coin.
const PICTURES = [
  ['alive', '66ffffff7e3c1800'],
  ['proven', '0103068ccc783000'],
  ['plain', '7e42725a425a427e'],
  ['numbers', '0303031b1bdbdbff'],
  ['money', '3c42b9a1a1b9423c'],
] as const;

/** The five promises, ruled like a ledger. */
export function Advantages() {
  const { t } = useTranslation('home');
  return (
    <section id="advantages" className="advantages band">
      <h2>{t('advantages.title')}</h2>
      <ul>
        {PICTURES.map(([name, rows]) => (
          <li key={name}>
            <ModulePicture rows={rows} />
            <h3>{t(`advantages.items.${name}.title`)}</h3>
            <p>{t(`advantages.items.${name}.text`)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function PricingTeaser() {
  const { t } = useTranslation('home');
  return (
    <section className="teaser">
      <h2>{t('pricing.title')}</h2>
      <p className="lead">{t('pricing.text')}</p>
      <Link to="/pricings" className={buttonClass('secondary')}>
        {t('pricing.action')}
        <Icon name="arrow-right" />
      </Link>
    </section>
  );
}

const SHORTCUTS = ['how-to-create', 'how-to-modify', 'kinds-of-codes', 'how-to-track'] as const;

export function FaqShortcuts() {
  const { t } = useTranslation('home');
  return (
    <section className="shortcuts">
      <h2>{t('faq.title')}</h2>
      <ul>
        {SHORTCUTS.map((entry) => (
          <li key={entry}>
            <Link to={`/faq#${entry}`}>
              {t(`faq.${entry}`)}
              <Icon name="arrow-right" />
            </Link>
          </li>
        ))}
        <li>
          <Link to="/faq">
            <strong>{t('faq.all')}</strong>
            <Icon name="arrow-right" />
          </Link>
        </li>
      </ul>
    </section>
  );
}

/** The last section of the home page, with a link back to the form at its top. */
export function Closing() {
  const { t } = useTranslation('home');
  return (
    <section className="closing band">
      <h2>{t('closing.title')}</h2>
      <p className="lead">{t('closing.text')}</p>
      <Link to="/#create" className={buttonClass()}>
        {t('closing.action')}
      </Link>
    </section>
  );
}

const SUITABLE =
  '(width >= 72rem) and (prefers-reduced-motion: no-preference) and (forced-colors: none) and (prefers-contrast: no-preference)';

/** By then, the first requests of the page's own scripts have finished. */
const SETTLED_MS = 300;

/**
 * Draws a decorative field of modules behind an element, after everything else has loaded; the page is
 * complete without it.
 */
function useHeroField(place: RefObject<HTMLElement>): void {
  useEffect(() => {
    const element = place.current;
    if (!element || !isSuitable()) return;
    let clear: (() => void) | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isUnmounted = false;

    const mount = async () => {
      try {
        const { mountField } = await import('./hero-field-drawing');
        if (!isUnmounted) clear = mountField(element);
      } catch (error) {
        console.warn('The field of modules is left out:', error);
      }
    };
    const schedule = () => {
      timer = setTimeout(() => whenIdle(mount), SETTLED_MS);
    };
    if (document.readyState === 'complete') schedule();
    else window.addEventListener('load', schedule, { once: true });

    return () => {
      isUnmounted = true;
      clearTimeout(timer);
      window.removeEventListener('load', schedule);
      clear?.();
    };
  }, [place]);
}

function isSuitable(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  return 'WebGLRenderingContext' in window && !connection?.saveData && window.matchMedia(SUITABLE).matches;
}

/** Safari has no idle callback, and a page that is never idle calls none without a limit. */
function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in window) window.requestIdleCallback(work, { timeout: 2_000 });
  else setTimeout(work, 500);
}
