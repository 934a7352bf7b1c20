import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bindAddressOption,
  choiceOption,
  flagOption,
  optionsHelp,
  readOptions,
  textOption,
  wholeNumberOption,
} from '../../src/config/option.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';

const table = {
  name: textOption('NAME', 'A name', 'nobody'),
  secret: textOption('TEXT', 'A secret'),
  count: wholeNumberOption('A count', [1, 9], 3),
  loud: flagOption('Be loud'),
  colour: choiceOption('A colour', ['red', 'green', 'blue'], 'red'),
  'bind-address': bindAddressOption('Where to listen', '127.0.0.1:3000'),
};

const read = (argv: string[], env: Record<string, string> = {}) => readOptions(table, 'OUR_', argv, env);

function mistakes(argv: string[], env: Record<string, string> = {}): string[] {
  try {
    read(argv, env);
  } catch (error) {
    assert.ok(error instanceof OperatorError);
    assert.equal(error.exitCode, 2);
    return error.message.split('\n').map((line) => line.replace(/ See --help\.$/, ''));
  }
  return [];
}

test('without a word every option has its default, or none where others decide', () => {
  assert.deepEqual(read([]), {
    name: 'nobody',
    secret: undefined,
    count: 3,
    loud: false,
    colour: 'red',
    'bind-address': { host: '127.0.0.1', port: 3000 },
  });
});

test('a value stands behind its option or behind an equals sign', () => {
  const values = read(['--name', 'anna', '--secret=--x=y', '--loud', '--count', '7']);
  assert.equal(values.name, 'anna');
  assert.equal(values.secret, '--x=y');
  assert.equal(values.loud, true);
  assert.equal(values.count, 7);
});

test('the environment is asked when the command line says nothing', () => {
  assert.equal(read([], { OUR_NAME: 'berta' }).name, 'berta');
  assert.equal(read(['--name', 'anna'], { OUR_NAME: 'berta' }).name, 'anna');
  assert.equal(read([], { OUR_NAME: '' }).name, 'nobody');
  assert.equal(read([], { OUR_LOUD: 'true' }).loud, true);
  assert.equal(read([], { OUR_LOUD: '0' }).loud, false);
  assert.deepEqual(read([], { OUR_BIND_ADDRESS: '[::1]:0' })['bind-address'], { host: '::1', port: 0 });
});

test('each mistake has a line of its own', () => {
  assert.deepEqual(mistakes(['--count', '10', '--colour', 'pink', 'stray', '--unknown', 'x'], { OUR_LOUD: 'maybe' }), [
    '"stray" is not an option.',
    'There is no option --unknown.',
    '--count must be a whole number from 1 to 9, not "10".',
    'OUR_LOUD must be true or false, not "maybe".',
    '--colour must be red, green or blue, not "pink".',
  ]);
  assert.deepEqual(mistakes(['--name', 'a', '--name', 'b']), ['--name is given twice.']);
  assert.deepEqual(mistakes(['--name']), ['--name needs a value: --name NAME.']);
  assert.deepEqual(mistakes(['--name', '--loud']), ['--name needs a value: --name NAME.']);
  assert.deepEqual(mistakes(['--colur', 'red', '--bind-adress=x', '--cuont', '5']), [
    'There is no option --colur; did you mean --colour?',
    'There is no option --bind-adress; did you mean --bind-address?',
    'There is no option --cuont; did you mean --count?',
  ]);
  assert.deepEqual(mistakes(['-count=3', '--name=a', '--', '--loud']), [
    '"-count=3" is not an option.',
    '"--" is not an option.',
    '"--loud" is not an option.',
  ]);
  assert.deepEqual(mistakes(['--toString', '--__proto__=1']), [
    'There is no option --toString.',
    'There is no option --__proto__.',
  ]);
});

test('what is no number, no address or no flag is refused', () => {
  for (const count of ['', '-1', '1.5', '0x1', '1e1', ' 2', 'NaN'])
    assert.equal(mistakes([`--count=${count}`]).length, 1);
  for (const address of ['', 'host', ':80', 'host:', 'host:65536', 'a b:80', '::1:80', 'http://h:80'])
    assert.match(mistakes([`--bind-address=${address}`]).join(), /must be HOST:PORT/, address);
});

test('the help text tells usage, default and environment name of each option', () => {
  const help = optionsHelp(table, 'OUR_');
  assert.match(help, /--name NAME\n\s+A name \[default: nobody\]\n\s+\[env: OUR_NAME\]/);
  assert.match(help, /--loud\n\s+Be loud\n\s+\[env: OUR_LOUD\]/);
  assert.match(help, /--bind-address HOST:PORT\n.*\n\s+\[env: OUR_BIND_ADDRESS\]/);
});
