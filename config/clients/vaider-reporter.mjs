// Tells what the videos of failed tests show, and where a video contradicts a test that passed.
// Written by `vaider init --playwright`; yours from then on. In playwright.config, before the html reporter:
//   reporter: [['./vaider-reporter.mjs', { mode: 'warn' }], ['html']],  use: { video: 'retain-on-failure' }
// What should be seen (with video: 'on'):
//   test('checkout', { annotation: { type: 'vaider', description: '"Order confirmed" appears' } }, async ({ page }) => …
// mode: 'fail' makes a contradiction fail the run. Offline: a test's videos go to nobody.
import { spawn } from 'node:child_process';
import path from 'node:path';

const SECONDS = 120;
const MOST_LINES = 12;
// A terminal would obey what was read from a screen.
const harmless = text => String(text).replace(/[\p{Cc}\p{Cf}]/gu, letter => (letter === '\n' ? letter : '\ufffd'));

export default class VaiderReporter {
  constructor({ mode = 'warn', command = process.env.VAIDER ?? 'vaider' } = {}) {
    this.mode = mode;
    this.command = command;
    this.found = [];
  }

  printsToStdio() {
    return false;
  }

  onTestEnd(test, result) {
    const expected = test.annotations.filter(each => each.type === 'vaider').map(each => each.description ?? '');
    const failed = result.status !== 'passed' && result.status !== 'skipped';
    const seen = result.attachments.filter(each => each.name === 'video' && each.path);
    const files = seen.length ? seen : result.attachments.filter(each => each.name === 'trace' && each.path);
    if (failed || expected.length)
      for (const { path: video } of files) this.found.push({ test, result, video, expected, failed });
  }

  async onEnd() {
    const began = Date.now();
    let contradicted = false;
    for (const one of this.found) {
      const { test, result, failed } = one;
      const answer = await this.watch(one);
      const verdicts = answer.verdicts ?? [];
      const against = !failed && test.outcome() !== 'unexpected' && verdicts.some(each => each.verdict === 'fail');
      contradicted ||= against;
      const head = against ? 'passed, but its video contradicts it:'
        : failed ? 'failed; its video shows:' : 'passed, and its video shows:';
      const text = harmless([head, ...lines(answer)].join('\n'));
      const place = `${path.relative(process.cwd(), test.location.file)}:${test.location.line}`;
      process.stdout.write(`\nvaider: ${place} ${harmless(test.title)}\n${text}\n`);
      // The reporters after this one show them, html beside the test.
      result.attachments.push({ name: 'vaider', contentType: 'text/plain', body: Buffer.from(text) });
      const picture = pictureOf(answer);
      if (picture) result.attachments.push({ name: 'vaider', contentType: 'image/jpeg', path: picture });
    }
    if (this.found.length)
      process.stdout.write(`\nvaider: watching ${this.found.length} videos took ${(Date.now() - began) / 1000} s\n`);
    return contradicted && this.mode === 'fail' ? { status: 'failed' } : undefined;
  }

  watch({ video, expected }) {
    const wanted = expected.map(each => `--expect=${each}`);
    const options = ['analyse', '--json', '--provider', 'local', '--timeout', String(SECONDS), ...wanted, '--', video];
    return new Promise(resolve => {
      let out = '';
      const child = spawn(this.command, options, { stdio: ['ignore', 'pipe', 'ignore'] });
      child.stdout.setEncoding('utf8').on('data', piece => (out += piece));
      child.on('error', error => resolve({ error: `${this.command} cannot be started: ${error.message}` }));
      child.on('close', () => {
        try {
          resolve(JSON.parse(out));
        } catch {
          resolve({ error: 'could not be watched; `vaider analyse` of the video says why.' });
        }
      });
    });
  }
}

function lines(answer) {
  if (answer.error) return [answer.error];
  const rank = { fail: 0, unclear: 1, pass: 2 };
  const verdicts = [...answer.verdicts].sort((one, other) => rank[one.verdict] - rank[other.verdict]);
  const timeline = answer.description.split('\n');
  const left = timeline.length - MOST_LINES;
  const picture = pictureOf(answer);
  return [
    ...verdicts.map(each => `${each.verdict.padEnd(7)} ${each.expectation}: ${each.reason}`),
    ...(left > 0 ? [`(${left} lines before)`] : []),
    ...timeline.slice(-MOST_LINES),
    ...(picture ? [`picture: ${picture}`] : []),
  ];
}

function pictureOf(answer) {
  const doubted = (answer.verdicts ?? []).filter(each => each.verdict !== 'pass').flatMap(each => each.evidence);
  const seen = [...doubted, ...[...(answer.timeline ?? [])].reverse()].find(each => each.frame);
  return seen ? path.join(answer.interactions_dir, seen.frame) : undefined;
}
