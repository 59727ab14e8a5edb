/* UART0 of the RP2040 on GPIO 0 and 1, a PL011, and the crystal that it needs: after the ROM only
 * the ring oscillator runs. The core also uses the crystal, so that its clock is known.
 * Datasheet, chapters 2.14 to 2.19 and 4.2; pico-sdk hardware/regs. */
#include "board.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define CLEAR 0x3000u /* offset of a register's alias that clears the written bits */

#define RESETS 0x4000C000u
#define RESET_DONE REGISTER(RESETS + 8)
#define IO_BANK (1u << 5)
#define PADS_BANK (1u << 8)
#define UART_0 (1u << 22)

#define XOSC_CONTROL REGISTER(0x40024000u)
#define XOSC_STATUS REGISTER(0x40024004u)
#define XOSC_DELAY REGISTER(0x4002400Cu)
#define XOSC_ON 0x00FABAA0u /* 1 to 15 MHz */
#define XOSC_STABLE (1u << 31)
#define DELAY_OF_1_MS 47u /* of 256 periods */

#define REFERENCE_CONTROL REGISTER(0x40008030u)
#define REFERENCE_SELECTED REGISTER(0x40008038u)
#define SYSTEM_CONTROL REGISTER(0x4000803Cu)
#define PERIPHERAL_CONTROL REGISTER(0x40008048u)
#define REFERENCE_IS_XOSC 2u
#define PERIPHERALS_HAVE_XOSC (1u << 11 | 4u << 5)

#define PIN_FUNCTION(pin) REGISTER(0x40014004u + 8u * (pin))
#define FUNCTION_UART 2u

#define UART(offset) REGISTER(UART_ADDRESS + (offset))
#define DATA UART(0x00u)
#define FLAGS UART(0x18u)
#define NOTHING_CAME (1u << 4)
#define NO_ROOM (1u << 5)
#define DIVIDER_64THS (4u * UART_CLOCK_HZ / UART_BAUD)

void uart_start(void) {
  XOSC_DELAY = DELAY_OF_1_MS;
  XOSC_CONTROL = XOSC_ON;
  while (!(XOSC_STATUS & XOSC_STABLE)) {
  }
  REFERENCE_CONTROL = REFERENCE_IS_XOSC;
  while (REFERENCE_SELECTED != 1u << REFERENCE_IS_XOSC) {
  }
  SYSTEM_CONTROL = 0; /* the reference */
  PERIPHERAL_CONTROL = PERIPHERALS_HAVE_XOSC;
  const uint32_t wanted = IO_BANK | PADS_BANK | UART_0;
  REGISTER(RESETS + CLEAR) = wanted;
  while ((RESET_DONE & wanted) != wanted) {
  }
  PIN_FUNCTION(0) = FUNCTION_UART;
  PIN_FUNCTION(1) = FUNCTION_UART;
  UART(0x24u) = DIVIDER_64THS / 64u;
  UART(0x28u) = DIVIDER_64THS % 64u;
  UART(0x2Cu) = 0x70u;  /* 8N1, FIFOs */
  UART(0x30u) = 0x301u; /* on, both ways */
}

int uart_read(void) { return FLAGS & NOTHING_CAME ? -1 : (int)(DATA & 0xFFu); }

void uart_write(uint8_t byte) {
  while (FLAGS & NO_ROOM) {
  }
  DATA = byte;
}
