/** QR codes are read back as a phone reads them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import decodeQr from 'qr/decode.js';
import { destinationAddress } from '../../src/chain/address.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { qrCode } from '../../src/explorer/parts/qr-code.ts';

/** The pixels of a module in the picture. */
const SCALE = 4;

/** Draws the path of an SVG as a picture of grey values. */
function pictureOf(svg: string): { width: number; height: number; data: Uint8ClampedArray } {
  const size = Number(/viewBox="0 0 (\d+) /.exec(svg)![1]) * SCALE;
  const data = new Uint8ClampedArray(size * size * 4).fill(255);
  for (const [, x, y, width] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g)) {
    for (let row = Number(y) * SCALE; row < (Number(y) + 1) * SCALE; row++) {
      const from = (row * size + Number(x) * SCALE) * 4;
      for (let i = from; i < from + Number(width) * SCALE * 4; i++) if (i % 4 !== 3) data[i] = 0;
    }
  }
  return { width: size, height: size, data };
}

test('a QR code of an address of any kind is read as this address', () => {
  for (const name of ['mainnet', 'testnet'] as const) {
    for (const destination of [`01${'cd'.repeat(20)}`, `0200${'ab'.repeat(33)}`, '00']) {
      const address = destinationAddress(networkByName(name), destination);
      assert.equal(decodeQr(pictureOf(qrCode(address, 'QR code').text)), address);
    }
  }
});
