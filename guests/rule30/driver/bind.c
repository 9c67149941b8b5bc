// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the engine. One that the device tree names (compatible "socscope,rule30") is bound by itself. One that came into a running
 * machine is named at load: insmod rule30.ko base=0xf0000000 [irq=48]; without irq= the engine's own irq register gives the number.
 */
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/irqdomain.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_irq.h>
#include <linux/platform_device.h>

#include "engine.h"

/* Interrupt sense of the MPIC's device tree binding. */
#define LEVEL_HIGH 2

static unsigned long base;
module_param(base, ulong, 0444);
MODULE_PARM_DESC(base, "physical address of an engine that the device tree does not name");
static uint irq;
module_param(irq, uint, 0444);
MODULE_PARM_DESC(irq, "its interrupt at the MPIC (default: what its irq register says)");

static int set_up_dma(struct platform_device *device)
{
	int result = dma_coerce_mask_and_coherent(&device->dev, DMA_BIT_MASK(32));

	if (result)
		return result;
	engine.packet = dmam_alloc_coherent(&device->dev, (RULE30_LINES_MAX + 1) * 4 * WORDS_MAX, &engine.packet_address,
					    GFP_KERNEL);
	return engine.packet ? 0 : -ENOMEM;
}

static int rule30_probe(struct platform_device *device)
{
	struct resource *memory;
	u32 version;
	int result;

	if (engine.device)
		return dev_err_probe(&device->dev, -EBUSY, "this driver serves one engine, and has one\n");
	engine.registers = devm_platform_get_and_ioremap_resource(device, 0, &memory);
	if (IS_ERR(engine.registers))
		return PTR_ERR(engine.registers);
	engine.address = memory->start;
	if (!PAGE_ALIGNED(engine.address) || resource_size(memory) < PAGE_SIZE)
		return dev_err_probe(&device->dev, -EINVAL, "%pR is not a page: the registers could not be mapped alone\n", memory);
	version = engine_get(RULE30_VERSION);
	if (!version || version == ~0u)
		return dev_err_probe(&device->dev, -ENODEV, "no engine answers at %pa\n", &engine.address);
	engine_reset();
	engine.packet = NULL;
	if (version & RULE30_VERSION_DMA) {
		result = set_up_dma(device);
		if (result)
			return dev_err_probe(&device->dev, result, "no memory for DMA\n");
	}
	engine.interrupts = 0;
	engine.interrupt = platform_get_irq_optional(device, 0);
	if (engine.interrupt == -EPROBE_DEFER)
		return -EPROBE_DEFER;
	if (engine.interrupt > 0) {
		result = devm_request_irq(&device->dev, engine.interrupt, engine_interrupt, 0, "rule30", NULL);
		if (result)
			return dev_err_probe(&device->dev, result, "interrupt %d is not to be had\n", engine.interrupt);
	}
	engine.device = &device->dev;
	result = misc_register(&engine_file);
	if (result) {
		engine.device = NULL;
		return result;
	}
	dev_info(&device->dev, "version %u.%u at %pa, interrupt %d\n",
		 (version & RULE30_VERSION_MAJOR) >> RULE30_VERSION_MAJOR_SHIFT,
		 (version & RULE30_VERSION_MINOR) >> RULE30_VERSION_MINOR_SHIFT, &engine.address, engine.interrupt);
	return 0;
}

static int rule30_remove(struct platform_device *device)
{
	misc_deregister(&engine_file);
	engine_reset();
	engine.device = NULL;
	return 0;
}

static const struct of_device_id names[] = { { .compatible = "socscope,rule30" }, {} };
MODULE_DEVICE_TABLE(of, names);

static struct platform_driver driver = {
	.probe = rule30_probe,
	.remove = rule30_remove,
	.driver = { .name = "rule30", .of_match_table = names, .suppress_bind_attrs = true },
};

/* The engine that the parameters name. */
static struct platform_device *named;

/* The kernel's number of an interrupt of the MPIC; 0: there is none. */
static int map_interrupt(u32 hardware_irq)
{
	struct device_node *controller = of_find_compatible_node(NULL, NULL, "chrp,open-pic");
	struct irq_fwspec wanted = { .param_count = 2, .param = { hardware_irq, LEVEL_HIGH } };
	int number;

	if (!controller || !hardware_irq)
		return 0;
	wanted.fwnode = of_node_to_fwnode(controller);
	number = irq_create_fwspec_mapping(&wanted);
	of_node_put(controller);
	return number;
}

static u32 told_interrupt(void)
{
	void __iomem *registers = ioremap(base, PAGE_SIZE);
	u32 number;

	if (!registers)
		return 0;
	engine.registers = registers;
	number = engine_get(RULE30_IRQ);
	engine.registers = NULL;
	iounmap(registers);
	return number;
}

static int add_named(void)
{
	struct resource resources[] = {
		DEFINE_RES_MEM(base, PAGE_SIZE),
		DEFINE_RES_IRQ(map_interrupt(irq ? irq : told_interrupt())),
	};

	named = platform_device_register_simple("rule30", PLATFORM_DEVID_NONE, resources, resources[1].start ? 2 : 1);
	return PTR_ERR_OR_ZERO(named);
}

static int __init rule30_init(void)
{
	int result;

	mutex_init(&engine.lock);
	init_waitqueue_head(&engine.waiting);
	result = platform_driver_register(&driver);
	if (result || !base)
		goto bound;
	result = add_named();
	if (result)
		goto unregister;
bound:
	if (result || engine.device)
		return result;
	pr_err("rule30: no engine is bound: none in the device tree, and base= is missing or wrong\n");
	result = -ENODEV;
	if (base)
		platform_device_unregister(named);
unregister:
	platform_driver_unregister(&driver);
	return result;
}
module_init(rule30_init);

static void __exit rule30_exit(void)
{
	if (base)
		platform_device_unregister(named);
	platform_driver_unregister(&driver);
}
module_exit(rule30_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Cellular automaton engine");
