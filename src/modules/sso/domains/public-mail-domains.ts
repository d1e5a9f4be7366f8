/** Providers with the same name below many top-level domains. */
const FAMILIES: Readonly<Record<string, string>> = {
  gmx: 'at biz ca ch co.in co.uk com cn de es eu fr hk ie in info it li lt lu net org ph pt ru sg tm us',
  hotmail: `be ca ch cl co.il co.in co.jp co.kr co.nz co.th co.uk co.za com com.ar com.au com.br com.hk com.mx com.tr
    com.tw com.vn cz de dk es fi fr gr hu it lt my nl no ph rs se sg sk`,
  live: `at be ca ch cl cn co.kr co.uk co.za com com.ar com.au com.mx com.my com.pt com.sg de dk fi fr hk ie in it jp
    nl no ph ru se`,
  outlook: `at be cl co.id co.il co.th com com.ar com.au com.br com.gr com.pe com.tr com.vn cz de dk es fr hu ie in it
    jp kr lv my ph pt sa sg sk`,
  yahoo: `at be bg ca cl cn co.id co.il co.in co.jp co.kr co.nz co.th co.uk co.za com com.ar com.au com.br com.cn com.co
    com.hk com.mx com.my com.pe com.ph com.sg com.tr com.tw com.ua com.ve com.vn cz de dk es fi fr gr hu ie in it jp nl
    no pl pt ro ru se`,
  yandex: 'by co.il com com.am com.ge com.tr ee fr kz lt lv md ru tj tm ua uz',
};

const PROVIDERS = `
  gmail.com googlemail.com
  icloud.com mac.com me.com
  msn.com passport.com windowslive.com
  aim.com aol.com aol.co.uk aol.de aol.fr love.com myyahoo.com netscape.net rocketmail.com verizon.net ymail.com ygm.com
  pm.me proton.me protonmail.ch protonmail.com
  tuta.com tuta.io tutamail.com tutanota.com tutanota.de keemail.me
  fastmail.com fastmail.fm hey.com hushmail.com hush.com mailbox.org posteo.de posteo.net riseup.net runbox.com
  disroot.org ctemplar.com startmail.com zoho.com zohomail.com zohomail.eu skiff.com onmail.com duck.com
  mail.com email.com usa.com consultant.com engineer.com europe.com post.com writeme.com iname.com myself.com
  web.de freenet.de t-online.de arcor.de online.de email.de mail.de magenta.de vodafone.de
  bluewin.ch hispeed.ch sunrise.ch aon.at chello.at
  orange.fr wanadoo.fr free.fr laposte.net sfr.fr neuf.fr bbox.fr numericable.fr
  libero.it virgilio.it tiscali.it alice.it tin.it inwind.it iol.it email.it fastwebnet.it
  telefonica.net terra.es ono.com sapo.pt
  ziggo.nl kpnmail.nl planet.nl home.nl xs4all.nl telenet.be skynet.be
  btinternet.com sky.com talktalk.net ntlworld.com virginmedia.com blueyonder.co.uk tiscali.co.uk o2.co.uk
  telia.com spray.se online.no
  wp.pl o2.pl onet.pl onet.eu op.pl interia.pl interia.eu tlen.pl gazeta.pl poczta.onet.pl vp.pl
  seznam.cz email.cz centrum.cz post.cz volny.cz azet.sk centrum.sk zoznam.sk
  freemail.hu citromail.hu abv.bg mail.bg inbox.lv inbox.lt
  mail.ru inbox.ru list.ru bk.ru internet.ru rambler.ru lenta.ru ro.ru ya.ru ukr.net i.ua meta.ua tut.by
  qq.com foxmail.com 163.com 126.com yeah.net vip.163.com vip.126.com 188.com sina.com sina.cn sohu.com aliyun.com
  139.com 189.cn 21cn.com tom.com wo.cn
  naver.com hanmail.net daum.net nate.com
  docomo.ne.jp ezweb.ne.jp softbank.ne.jp nifty.com
  rediffmail.com rediff.com indiatimes.com sify.com
  bol.com.br uol.com.br terra.com.br ig.com.br globo.com r7.com
  prodigy.net.mx bigpond.com bigpond.net.au optusnet.com.au iinet.net.au xtra.co.nz
  att.net bellsouth.net comcast.net cox.net charter.net earthlink.net juno.com netzero.net optonline.net
  roadrunner.com sbcglobal.net frontier.com windstream.net centurylink.net mindspring.com
  rogers.com shaw.ca sympatico.ca telus.net videotron.ca
  walla.co.il walla.com mweb.co.za
  10minutemail.com guerrillamail.com mailinator.com sharklasers.com temp-mail.org tempmail.com trashmail.com yopmail.com
`;

const wordsOf = (text: string): string[] => text.split(/\s+/).filter(Boolean);

const NAMES: ReadonlySet<string> = new Set([
  ...wordsOf(PROVIDERS),
  ...Object.entries(FAMILIES).flatMap(([name, suffixes]) => wordsOf(suffixes).map((suffix) => `${name}.${suffix}`)),
]);

/**
 * True for providers that give addresses to anybody. No organization speaks for the people there, not even one that
 * could set the record.
 *
 * @param name in ASCII and lower case.
 */
export const isPublicMailDomain = (name: string): boolean => NAMES.has(name);
