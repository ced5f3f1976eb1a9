/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page.js - drives every control of a page; page.sh puts it in front of the page's own script. */
const errors = [], said = [];
window.onerror = (message, file, line) => { errors.push(message + ' at ' + line); };
for (const kind of ['error', 'warn']) { const was = console[kind];
    console[kind] = (...x) => { errors.push(x.join(' ')); was(...x); }; }
window.addEventListener('unhandledrejection', event => {
  const out = document.createElement('pre');
  out.id = 'driven';
  out.textContent = '\nWRONG ' + event.reason.stack + '\ndriven\n';
  document.body.append(out);
});
window.addEventListener('load', async () => {
  const opened = document.querySelectorAll('*').length, $ = id => document.getElementById(id);
  const check = (name, right) => said.push((right ? 'right ' : 'WRONG ') + name);
  const press = (id, key) => $(id).dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
  check('opens with few elements: ' + opened, opened < 40000);
  check('source is there', $('source').children.length > 20);
  check('remarks are there', $('chosen').textContent.includes('line '));
  check('proof is there', $('proof').rows.length > 5);
  const parts = /pragma ws pipeline/.test($('source').textContent) ? [1, 4] : [0, 0];
  check('memory is there', $('storages').rows.length > parts[0] &&
      $('memory').querySelectorAll('rect').length > parts[1]);
  check('schedule is there', $('schedule').textContent.startsWith('schedule '));
  $('source').querySelectorAll('[data-line]')[0].dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
  const under = pragma => [...$('source').children].find(row => row.previousSibling &&
      pragma.test(row.previousSibling.textContent));
  const pipelined = under(/#pragma ws pipeline/), loop = pipelined || under(/#pragma ws grid/);
  if (loop) loop.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
  const lit = [...document.querySelectorAll('#emitted .lit')].map(row => row.textContent);
  check('a loop lights up in both roles', !loop || lit.filter(text => /for \(/.test(text)).length >= (pipelined ? 2 : 1) &&
      loop.classList.contains('lit'));
  press('source', 'ArrowDown'); press('source', 'ArrowDown');
  check('keys move along the source', document.querySelectorAll('#source .lit').length === 1);
  const roles = [...$('role').options].map(o => o.textContent);
  check('both roles can be chosen', !pipelined ? roles.length > 1 : roles.some(r => /producer/.test(r)) && roles.some(r => /consumer/.test(r)));
  const all = $('emitted').children.length;
  $('role').value = 1; $('role').dispatchEvent(new Event('change'));
  check('one role is shown', all > 20 && $('emitted').children.length < all && $('emitted').children.length > 3);
  const reported = !$('report').hidden, at = () => +$('time').value;
  check('a report is shown where there is one', reported === /lab/.test(location.href) &&
      (!reported || /a product in flight reads it/.test($('report').textContent) && at() === +$('time').max));
  const block = i => { $('cta').selectedIndex = i; $('cta').dispatchEvent(new Event('change')); };
  for (let i = 0; i < $('cta').options.length && !document.querySelector('.slot'); i++) block(i); /* one with a ring */
  $('first').click();
  check('first', at() === 0 && document.querySelectorAll('.slot').length > 1 &&
      ![...document.querySelectorAll('.slot')].some(s => s.dataset.state !== 'empty'));
  $('next').click(); $('next').click(); $('back').click();
  check('next and back', at() === 1);
  $('last').click();
  check('last', at() === +$('time').max);
  $('first').click();
  $('until').selectedIndex = 1; $('go').click();
  const slot = document.querySelector('.slot');
  check('runs until a slot is full', at() > 0 && slot.dataset.state === 'full' &&
    /full 0, phase 0/.test(slot.textContent));
  const groups = $('groups').tBodies[0].rows;
  check('groups have roles', [...groups].some(r => /producer/.test(r.textContent)) &&
      [...groups].some(r => /consumer/.test(r.textContent)));
  $('until').selectedIndex = $('until').options.length - 1; $('go').click();
  check('runs until a group waits, or says that none does', /waits/.test(groups[groups.length - 1].textContent) ||
      /does not happen/.test($('live').textContent));
  $('time').value = 5; $('time').dispatchEvent(new Event('input'));
  check('slider', at() === 5 && /^5 of/.test($('now').textContent) && /event 5/.test($('live').textContent));
  const wide = $('timeline').viewBox.baseVal.width;
  $('zoom').value = 4; $('zoom').dispatchEvent(new Event('input'));
  check('zoom', $('timeline').viewBox.baseVal.width > 3 * wide && $('timeline').querySelectorAll('path').length > 5);
  const others = $('below').options.length;
  $('below').selectedIndex = 0; $('below').dispatchEvent(new Event('change'));
  check('nothing is below', $('compared').style.display === 'none');
  $('below').selectedIndex = others - 1; $('below').dispatchEvent(new Event('change'));
  check('another timeline is below', $('compared').style.display === 'block' && others > 1 &&
      $('compared').querySelectorAll('path').length > 3 && $('compared-unit').textContent.length > 20);
  press('timeline', 'ArrowRight');
  check('keys move in time', at() === 6);
  const box = $('timeline').getBoundingClientRect();
  $('timeline').dispatchEvent(new MouseEvent('click', {clientX: box.left + box.width * 0.9, clientY: box.top + 5,
      bubbles: true}));
  check('a click moves in time', at() > +$('time').max / 2);
  if ($('cta').options.length > 1) block(1);
  check('another block', $('timeline').querySelectorAll('path').length > 3);
  $('first').click(); $('play').click();
  check('play says so', $('play').getAttribute('aria-pressed') === 'true');
  await new Promise(done => setTimeout(done, 400));
  $('play').click();
  check('play goes on and stops', at() > 0 && $('play').getAttribute('aria-pressed') === 'false');
  const named = [...document.querySelectorAll('button, input, select')]
    .every(c => c.textContent.trim() || c.title || document.querySelector('label[for=' + c.id + ']'));
  check('every control has a name', named);
  check('no error', errors.length === 0);
  const out = document.createElement('pre');
  out.id = 'driven';
  out.textContent = '\n' + said.concat(errors).join('\n') + '\ndriven\n';
  document.body.append(out);
});
