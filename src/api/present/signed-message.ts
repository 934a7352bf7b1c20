/** Whether a message was signed by the owner of an address, as JSON. */
import { SIGNATURE_FAULTS, type SignatureFault } from '../../chain/signed-message.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { choice, flag } from '../entry/kinds.ts';

/** A signature of mintlayer-core's tests. */
export const SIGNED_MESSAGE_EXAMPLE = {
  address: 'mtc1qxtlh84a7fflmeem9g4wtmyp2px42gnxwqwmer2e',
  message: '<tx_id:dfc2bb0cc4c7f3ed3fe682a48ee9f78bcd4962e55e7bc239bd340ec22aff8657;intent:the intent>',
  signature:
    '00032f930bd0d812002a229b64a1cc3f571cc88afc49c2091b0195f72f696609c4230027b2c8adb02e2fef9eacc52f4fd38480f40ee9c91068d97dde071c8387ee315a5cbda5a2c63ddc05f6067c35c97cc2072d773145e02096801de65f6badbe52a3',
};

/** Null: the signature is valid. */
export const SIGNATURE_CHECK = defineEntry<SignatureFault | null>({
  valid: flag((fault) => fault === null),
  reason: choice(SIGNATURE_FAULTS).orNull(
    (fault) => fault,
    'Why it is not valid. `bare_signature`: the signature is the 64 bytes that Trezor and Ledger return: for an address with a ' +
      'public key `00` is missing before it, for one with the hash of a key `00`, the public key (33 bytes) and `00`; `malformed`: the signature has not the form for this kind of address; `other_key`: it has other keys ' +
      'than the address; `mismatch`: it is of another message, or damaged; `incomplete`: signatures of a multisig are missing; ' +
      '`unsupported_address`: nobody can sign for the address',
  ),
});
