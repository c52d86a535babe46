import world from './world.svg?url';

export interface ColouredCountry {
  /** ISO 3166-1 code. */
  code: string;
  /** 1 to 4: the more visits, the darker. */
  level: number;
}

const EUROPE = new Set(
  (
    'AD AL AT BA BE BG BY CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO ' +
    'RS SE SI SK SM UA VA XK'
  ).split(' '),
);
const WORLD_VIEW = '0 0 960 440';
const EUROPE_VIEW = '440 12 135 112';

/** Only Europe if there were no visits from elsewhere. */
export function viewOf(countries: ColouredCountry[]): string {
  return countries.every(({ code }) => EUROPE.has(code)) ? EUROPE_VIEW : WORLD_VIEW;
}

/** A map without words: the table beside it says the same. */
export function CountryMap({ countries }: { countries: ColouredCountry[] }) {
  return (
    <svg className="country-map" viewBox={viewOf(countries)} aria-hidden="true">
      <use href={`${world}#land`} />
      {countries.map(({ code, level }) => (
        <use
          key={code}
          href={`${world}#${code}`}
          className={`country-map__visited country-map__visited--${level}`}
        />
      ))}
    </svg>
  );
}
