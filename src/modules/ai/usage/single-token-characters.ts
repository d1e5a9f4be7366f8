import { inflateRawSync } from 'node:zlib';

const FIRST = 0x80;

/**
 * The characters that are one token in the vocabulary o200k_base, a bit for each from U+0080 to U+FFFF, compressed. The
 * others are rare, and are a token for each byte in most vocabularies.
 */
const BITS = inflateRawSync(
  Buffer.from(
    '7Vl9jJxFGf89s7PbueUK895eYa8WO3tdYUv5eK8UBRt1bnvURYscFEMTiZ61JBdDBP9QPoJ2dm97LC3K0ZQEhOjSGkFAW2MMGIPdtlQaFWloqC' +
      'QkUvlIKlAOgljCefd6M++7X0clNIgh0Lnkdt95Z555Pn7Pb56ZJcxjQdgOu/+/2/DS+vVbLv3qwhPGz7r/vgAmzmKGAI16OyH8+FESUPW+tAaW' +
      '2C8XnQRUGt3AoBcEE69PBcHa8Plf/dFqwdQzYc8PfrjhxfEHAMSSI8b1KHw2eO3w94an7DBme17bBwRBMGseIFGZCoJZQTAfwXyamnjwm7Pwy9' +
      'zlf7ruHADBN/Ae2ys3TgTB5PjrW5fiulcDwiulg0EwuXvfLddhWy0YwfMj//jNxOQV+248D2lDMbw8cvDhYPLQrq1LgVoA1FD98VvfeWzXSA7O' +
      'mAP57P70o9t3PXpGKP/5XQc2vTV5aNfjnwkd+vKyF24L3PMQajT9ftmhv05MBrseP8NNvyGLrk3rXnz6rM+Vv/Yp27F/fCLYHgSxZz6XqKvMAN' +
      '40QDS/6iPYd7h8OOh98/G1wVY3qUbFvuiNdTbhw9Ye/EPwk1morQ22P4kg9mGwSNisU/cJiE7FwshNvPjS+O+3B1P3b2CEegzt5w5qRYP9O31q' +
      '6eHLJmd/3PZ0IEJON1gdOgIaA9GMFKRspHuEsX7w5U40Ab54b5bMP0LfCYAMxY44FvE6jkds3p+X1PaE74ccqCWPA1jd+fb5CmnUXSCbCdJo/z' +
      '+EZz6Q6LknuMa5Zf9kEEyMWzLpxN+CIHh6PAiC7avOrY8zBSAWOvQ9N4Zj7Vg71v4XbcNVq865+hNfvir3lVu3LMNxeuDpT6544npeXnDltbFz' +
      'ux/JsZ+W7rnYeJ4+sHBuBxNGC+Q2GGXmcaOYZhy5RKlL4FJj0K2w1yibnl4FqLpEZzKkenP9opN4denEeUPn8LkkfyH6N0KtrNIZO/joWX3JHb' +
      'PLWYax0awtcvbEZh1fMshu7gaMQs2m+/Ebdv87fqO4k9Yk1TpNqHSufYKuvesxSl+zZU/tDvlFioM45c51lWMcYBlgdZaHDF1j0GVgiFumRx90' +
      'LSxmbEmUt9uUNI7e28m8MFudvEZ3DBQFdQysK4+cnueAiPYood2cBHd8tBhAV7+VJFDJWzklJyGOsc1Dm8pf6kqYDU9A4akFZSrkoZHU4mPd0+' +
      'PMeqDHStAA104hK1GohIyIrkF2vxpZxUD33WnemF9Y9eyg7KzqDv3M/kOXZCXYG6ferLQybHq4EaxXUMiT/Ucu2qKt79n+E8WZXr/SBy/IKEfM' +
      'l/92VfmhsVrOuHUFavzkcrVI2JwATscAi809u2edZstvV8PKpIpCqZheozbzabNFHLyk7TxzQZxDcSapKKyPK87TFwDlFgfzyC4ynyfNn7yJhs' +
      '+kytxlO4nfe/ES0esP9V5+h0qJvaOM4TRjnaIM1wYixcXP4hwoxQVT0koehA++1waagQQSWg6BkLX+jLZwo/+obi2xFbKPDAyTVVrcWzF44WzN' +
      'BwbTJnM3Brno5NhxMS9jJ9DvUOsDc/Z1LDL34mHGL9wZG+u9O1brQnGJlSxNj1SYK0ylBMZNaoXHkINGL6B0kUCCc+d7xWWj4FHK5/UyQjhnKA' +
      '7Bki7kERpnNg7cAj6ALoHvs7sEOkOhvQeWCFdgmY2oQNIoMyYFZJOxgVKCi/VdCSVOoQ7FhCkozgurC0Lq5WNATCT1SNa5nomSUEQittHqosnV' +
      '7xYzTh/Gu0gabiS4w7z0MFTff8UR6x5xb0bDJonGSRbbtWivz0NLSLCxiAtCCco0zxTPZYyH5CiLUDGmwVEESXjQSGOFbJRbY0ktbOwtXElBF5' +
      'zMdEOUaFZlshB23dZJW2crCaY6+6FtZlb4YLXtZANEUbphbyRJxx+9Ka1lP5sLe1qVBIhkfXCkjuoVJoHBiDoU3NchawJ1s/bi8FJAD6nMtOXG' +
      '0c5wLJcoakMCw3a9pNHOV4NlpoxSoSE7M0YzoMt6Dzp5idU3TzBgiqHImgcy1qirhAArQ9rCPAyW6FMysa5CrFsS8lhuu2xyAoZzosgUHWpdt2' +
      '33pge2PHX3ab82p8gxoEBg0iYcx3IONQAtGRSTlr6QXiSLode75fkolyG6NBaXOC8M6kEGneHT2QEwCuvXjp2R95R1jcimuclsqqGbmAODuXnA' +
      'JjrGkhlUSxhyOHEKElgcSWOAvNAQo1aKhOH2RKGUBwVmXHx48/yq2urFiEvt4rrbMZKSrQDQC8oQNn2jejXMLvBm2R86/L/UryQr4jQKNwbkgF' +
      'OMWixnFu0cJl/R3HChLotxWOzGz7dcley2tDGAJLAY/VgSN0Y0iDsXGUHa5gQXOPG5+O6Vp27OrqluvDDZISSnErQ1nINZbWMp01O0ynKne3Xq' +
      '59tiXbcPrpgjXoPqtNESEJJVUcyFe2BiRm1tLc8625WwHWXHrdD7ZG6YfaFQoFnf3dyfmkBnsfei0TmjHUj0lK98CAtXq6IHhsKAPfYxIKOa3r' +
      'KYs6lk4WC3hX+2V/Ey+j+TV1y/4Y3T2BEOXtR2V0EwWc0sFqR16QJBLK+dmXazMJQU4KHBEld0i177it9QubqP0J34e1Y/4lky0d9Gb74zXhNF' +
      '5bZmAgbycdZ6HyIAJsy3iMgdEn3ZDwz9ZRA7+5xGGnuc3nZqXcMhgibN4LVaUhdoNVxWgCxxaRPTUU7TDVkj+bso52QEcTqKo5ZJquk6y4S7sf' +
      'WRBtJpnegPIe+4XliRVgGpjh2/PkgtRacubj55dJwEKEW+dO9y0iVuHRK+FxXk7skCLEWxcB7ZqxlqSztqpb4ZVzM0M1GllAohK3uUkh5cWtiR' +
      'RBIGqZAKPVLtlyxtKHfreaTCy6KM37ONUWNlnySoMdqaEk4gL7Sh+U7Wh5hoCGszxabf0d3gtCrhsxSOUyFR+p5vUhC+58ecd6stMkMPtt4QEk' +
      'F6YWXpbWMradinljA6T3iohk8dM7zrzfQS1QNevbpHsljLSB8eQXmRgtZ22YaX1vy1esr6Csmju8t62+imjr5nVVIRA/meYp613U1pBq5uSqoR' +
      'OQnlVPK2Rd7N09GGaqZKFGIJ/hx/WYpsTR+KfpU8snqGgVPw4NeTBGAp6gghzMIkUdKTFkR+n08pWiCbx7IULfAdw8sItOm2GIUBaFOJMuG8Rf' +
      '47WPTub8mslJX0db81xAvD1SOV1My0kHWVoo9YOCRFmRkk4PkW+rKBQfZOCHCBk/WRKVJ+q9F22YaCM1WS7VJCmEb+tNBPvY2XyLm1RWb9HWVm' +
      'qtTggjBwsci5nj1e2IV6w49MBEy/SY7tKgFupAc6tusca0fX5EfKWhP+VEkfOcPfh/a+F9u1dw7lavsz7sGT38woM/hpYy9WsbflYOr/Bw==',
    'base64',
  ),
);

/** True for a character outside of ASCII that tokenizers usually have a token of its own for. */
export const isSingleToken = (code: number): boolean =>
  (BITS[(code - FIRST) >> 3]! & (1 << ((code - FIRST) & 7))) !== 0;
