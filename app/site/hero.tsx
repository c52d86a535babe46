import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useHeroField } from './hero-field';

/** The promise in one line, and the form that lets one try it. */
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
