console.log("sizes")
