import { LOCALES, type Locale } from '~/i18n/locales';

interface Site {
  appName: string;
  publicUrl: string;
  locale: Locale;
}

/** Who runs the site, what it is and what it offers, for search engines (schema.org as JSON-LD). */
export function siteFacts({ appName, publicUrl, locale }: Site) {
  const organization = `${publicUrl}/#organization`;
  return {
    '@context': 'https://schema.org',
    '@graph': [
      {
        '@type': 'Organization',
        '@id': organization,
        name: appName,
        url: `${publicUrl}/`,
        logo: `${publicUrl}/icon-512.png`,
      },
      {
        '@type': 'WebSite',
        name: appName,
        url: `${publicUrl}/`,
        inLanguage: LOCALES[locale].html,
        publisher: { '@id': organization },
      },
      {
        '@type': 'SoftwareApplication',
        name: appName,
        url: `${publicUrl}/`,
        applicationCategory: 'BusinessApplication',
        operatingSystem: 'Web',
        publisher: { '@id': organization },
      },
    ],
  };
}
