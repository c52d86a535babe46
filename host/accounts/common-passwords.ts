/**
 * The words that lists of leaked passwords are built on, in the five languages of the product: greetings, names,
 * animals, teams, heroes, seasons, and words for "password" itself. With the usual decorations they cover several
 * hundred thousand passwords.
 */
const WORDS = new Set(
  `
password passwort passord parola contrasena contrasenia contraseña motdepasse motpasse senha passwd passw pass admin administrator
administrateur administrador amministratore root user username utilisateur usuario benutzer utente guest login logon signin master
welcome bienvenue bienvenido willkommen benvenuto hello bonjour hola hallo ciao salut coucou hallohallo letmein whatever changeme
changeit secret geheim segreto secreto default system server computer internet windows microsoft google facebook twitter linkedin
instagram youtube samsung android apple iphone nintendo playstation xbox pokemon pikachu minecraft fortnite roblox zelda mario sonic
test tester testing teste temp temporary example sample demo iloveyou iloveu loveyou loveme lovely lover love teamo tequiero tiamo
jetaime jtaime ichliebedich amore amour amor mylove myself babygirl babyboy babe princess princesse princesa prinzessin principessa
prince queen king angel angelo angels ange engel angelito sunshine soleil sonnenschein sole moonlight rainbow butterfly papillon
mariposa farfalla schmetterling flower fleur blume fiore flor rose rosa cherry chocolate chocolat chocolate cookie cookies banana
banane orange pineapple strawberry fraise peanut pepper ginger coffee pizza cheese bubbles sweetie sweetheart honey honeybee tesoro
schatz schatzi liebling cherie cheri tresor carino corazon cuore coeur herz heart football futbol fussball calcio baseball
basketball basket handball volleyball softball hockey soccer tennis rugby golf golfer skater boarding surfing running swimming dancer
dance danser music musique musik musica guitar guitare gitarre chitarra piano drummer superman batman spiderman ironman starwars
startrek matrix gandalf skywalker harrypotter hogwarts naruto sasuke goku dragonball dragon dragons monster vampire wizard warrior
ninja samurai pirate hunter shadow phoenix thunder lightning storm tiger tigre tiger lion leon loewe eagle falcon hawk wolf wolves
panther jaguar cheetah leopard elephant giraffe monkey gorilla panda koala bear teddy teddybear horse cheval caballo cavallo pferd
unicorn licorne dolphin dauphin delfin delfino shark turtle rabbit bunny lapin kitty kitten kitkat chat chaton katze gato gatto
chien doggy puppy hund hunde perro cane snoopy garfield mickey minnie donald goofy bambi tinkerbell barbie hellokitty tweety simba
summer sommer estate verano winter hiver inverno invierno autumn herbst autunno otono spring printemps fruehling primavera january
janvier enero januar gennaio february fevrier febrero februar march mars marzo april avril abril aprile may june juin junio juni
giugno july juillet julio juli luglio august aout agosto september septembre septiembre settembre october octobre octubre oktober
ottobre november novembre noviembre december decembre diciembre dezember dicembre monday lundi lunes montag lunedi friday vendredi
viernes freitag venerdi sunday dimanche domingo sonntag domenica america american england london paris marseille lyon bordeaux
toulouse nantes lille france francais espana madrid barcelona sevilla valencia berlin hamburg muenchen munchen deutschland germany
frankfurt koeln italia italy roma milano napoli torino juventus inter juve lazio realmadrid barcelone atletico bayern borussia
dortmund schalke werder liverpool arsenal chelsea manchester united everton tottenham celtic rangers steelers cowboys yankees lakers
redsox packers eagles patriots raiders dolphins ferrari porsche mercedes lamborghini mustang corvette camaro harley yamaha suzuki
kawasaki honda toyota peugeot renault citroen volkswagen audi bmw ducati vespa michael michelle jennifer jessica jessie ashley
amanda nicole samantha elizabeth stephanie melissa christina christine christian christopher jonathan anthony andrew daniel daniela
danielle david robert richard william thomas joseph joshua matthew brandon justin jordan tyler austin charlie charles charlotte
george patrick alexander alexandra alexandre alejandro alessandro alessandra andrea andreas angela antonio antoine barbara benjamin
bernard brigitte camille carlos carmen caroline catherine cedric claudia claude diego dominique eduardo elodie emilie emmanuel
eric fabien federica federico fernando florian francesca francesco francisco francois franck frederic gabriel gabriela gabriele
giovanni giulia giuseppe guillaume hannah heinrich isabelle isabella jacques jasmin jasmine javier jean jeremy jerome jorge jose
juan julia julian julie julien katharina kevin laura laurent leonardo lisa lorenzo louise lucas lucia luis madison manuel manuela
marco marcel maria marie marina mario mark markus martin martina martine mathieu matteo matthias maxime maximilian miguel monica
monika morgan nathalie nathan nicolas niklas oliver olivier pablo paolo pascal patricia paul pauline pedro peter philippe pierre
rachel raphael rebecca ricardo roberto romain sabine sandra sandrine sara sarah sebastian sebastien sergio simone sofia sophie
stefan stefania stefano susanne sylvie teresa thierry valentin valentina vanessa veronica veronique victor victoria vincent virginie
yannick freedom liberty liberte libertad liberta freiheit forever always nothing something anything everything nobody jesus jesuschrist
christ jehova godisgood blessed blessing heaven grace faith hope trustno trustnoone believe victory winner champion legend lucky
destiny family famille familia famiglia familie mother maman mama mamma mutti mutter father papa vater daddy brother sister friend
friends amigo amigos amis freunde amici doudou loulou titi minou bonheur alegria glueck felicidad felicita school ecole schule scuola escuela student
teacher doctor soldier marine killer hacker cracker gangster playboy bitch fuckyou fuckoff asshole bastard putain merde mierda
scheisse arschloch cazzo stronzo vaffanculo puta zorra sexy sexybitch sexygirl hottie hotstuff naughty spanky scooter rocket
cosmos galaxy diamond crystal silver golden platinum purple yellow green black white blue rouge noir blanc bleu schwarz blau
rojo negro verde nero bianco rosso pumpkin cupcake snowball snowman christmas noel weihnachten navidad natale birthday holiday
vacances urlaub vacanze vacaciones beach plage strand playa spiaggia ocean island mountain montagne access abcdef qwerty azerty
qwertz asdf asdfgh zxcvbn qazwsx qwertyuiop azertyuiop qwertzuiop asdfghjkl qsdfghjklm zxcvbnm wxcvbn
`
    .trim()
    .split(/\s+/)
    .filter((word) => word.length >= 4),
);

/** Rows and columns of keyboards (QWERTY, AZERTY, QWERTZ), the alphabet and the digits; read in both directions. */
const LANES = [
  '1234567890 0987654321',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
  'qwertzuiopü',
  'yxcvbnm',
  'abcdefghijklmnopqrstuvwxyz',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  '1aqz2sx3edc',
  '1q2w3e4r5t6y7u8i9o0p',
  '1a2z3e4r5t6y',
  'a1b2c3d4e5f6g7h8',
  'q1w2e3r4t5y6',
  'qazwsxedcrfvtgbyhnujmikolp',
  '!@#$%^&*()',
  '147258369',
  '159357',
  '741852963',
].flatMap((lane) => [lane, [...lane].reverse().join('')]);

const LEET: Record<string, string> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Whether a password is one that guessing programs try first, regardless of case, digits at the ends and leetspeak. */
export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase();
  return isRepeated(plain) || isDate(plain) || isWalk(plain) || spellings(plain).some(isDecoratedWord);
}

/** `aaaaaaaa`, `abcabcabc`, `12341234`. */
function isRepeated(password: string): boolean {
  return /^(.{1,4})\1+.?$/.test(password) || /^(.{4,})\1$/.test(password);
}

/** Eight digits that form a date from 1900 to 2039, in any order of day, month and year, with or without separators. */
function isDate(password: string): boolean {
  const digits = password.replace(/[./-]/g, '');
  return /^(?:\d{4}(?:19\d\d|20[0-3]\d)|(?:19\d\d|20[0-3]\d)\d{4})$/.test(digits);
}

/** A password of at most three runs along the keyboard, each of three keys or more. */
function isWalk(password: string, runs = 3): boolean {
  if (password === '') return true;
  if (runs === 0) return false;
  for (let length = password.length; length >= 3; length -= 1) {
    const run = password.slice(0, length);
    if (LANES.some((lane) => lane.includes(run)) && isWalk(password.slice(length), runs - 1)) return true;
  }
  return false;
}

function spellings(password: string): string[] {
  const stem = stemOf(password);
  return [stem, stemOf(unleet(stem)), stemOf(unleet(password))];
}

function unleet(text: string): string {
  return [...text].map((letter) => LEET[letter] ?? letter).join('');
}

/** Strips digits and symbols from both ends: `123password2024!` becomes `password`. */
function stemOf(password: string): string {
  return password.replace(/^\P{L}{1,4}(?=\p{L})/u, '').replace(/(?<=\p{L})\P{L}{1,8}$/u, '');
}

function isDecoratedWord(stem: string): boolean {
  return WORDS.has(stem) || (stem.endsWith('s') && WORDS.has(stem.slice(0, -1)));
}
